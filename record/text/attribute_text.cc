#include "record/text/attribute_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {
namespace {

constexpr size_t kMaxItems = 8;

struct ToText {
  std::string operator()(int64_t number) const { return absl::StrCat(number); }
  std::string operator()(float number) const { return absl::StrCat(number); }
  std::string operator()(const std::string& text) const { return absl::StrCat("\"", text, "\""); }
  std::string operator()(const Tensor& tensor) const { return tensor.TypeString(); }
  std::string operator()(const SparseTensor&) const { return "a sparse tensor"; }
  std::string operator()(const TypeInfo&) const { return "a type"; }
  std::string operator()(const std::shared_ptr<const Graph>& graph) const {
    return absl::StrCat("a graph of ", graph->nodes.size(), " nodes");
  }
  template <typename Item>
  std::string operator()(const std::vector<Item>& items) const {
    std::vector<std::string> texts;
    for (const Item& item : items) {
      if (texts.size() == kMaxItems) {
        texts.emplace_back("...");
        break;
      }
      texts.push_back((*this)(item));
    }
    return absl::StrCat("[", absl::StrJoin(texts, ","), "]");
  }
};

// Longer values are compared by their type alone.
constexpr int64_t kMaxElements = int64_t{1} << 22;

// Elements of a list or a tensor, or a single value, as texts that are equal if and only if the
// elements are.
struct ToElements {
  // Nothing if there are no comparable elements.
  using Elements = std::optional<std::vector<std::string>>;

  static std::string Exact(double number) {
    constexpr double kExact = 9007199254740992;
    if (std::abs(number) < kExact && number == std::trunc(number)) {
      return absl::StrCat(static_cast<int64_t>(number));
    }
    return absl::StrFormat("%.17g", number);
  }
  Elements operator()(int64_t number) const { return {{absl::StrCat(number)}}; }
  Elements operator()(float number) const { return {{Exact(number)}}; }
  Elements operator()(const std::string& text) const { return {{ToText()(text)}}; }
  Elements operator()(const std::vector<int64_t>& numbers) const { return OfList(numbers); }
  Elements operator()(const std::vector<float>& numbers) const { return OfList(numbers); }
  Elements operator()(const std::vector<std::string>& texts) const { return OfList(texts); }
  Elements operator()(const Tensor& tensor) const {
    if (!tensor.is_contiguous() || tensor.num_elements() > kMaxElements) return std::nullopt;
    const auto size = static_cast<size_t>(tensor.num_elements());
    if (tensor.dtype() == DType::kString) {
      return OfList(std::vector<std::string>(tensor.string_data(), tensor.string_data() + size));
    }
    if (IsInteger(tensor.dtype()) && tensor.dtype() != DType::kUint64) {
      std::vector<int64_t> numbers(size);
      LoadElements(tensor.dtype(), tensor.raw_data(), 0, tensor.num_elements(), numbers.data());
      return OfList(numbers);
    }
    if (!IsFloatingPoint(tensor.dtype())) return std::nullopt;
    std::vector<double> numbers(size);
    LoadElements(tensor.dtype(), tensor.raw_data(), 0, tensor.num_elements(), numbers.data());
    std::vector<std::string> elements;
    elements.reserve(size);
    for (const double number : numbers) elements.push_back(Exact(number));
    return elements;
  }
  template <typename Other>
  Elements operator()(const Other& /*other*/) const {
    return std::nullopt;
  }
  template <typename Item>
  Elements OfList(const std::vector<Item>& items) const {
    std::vector<std::string> elements;
    elements.reserve(items.size());
    for (const Item& item : items) elements.push_back((*this)(item)->front());
    return elements;
  }
};

// "0.5 | 1", with as few digits as distinguish them.
std::string PairText(const std::string& left, const std::string& right) {
  double a = 0;
  double b = 0;
  if (!absl::SimpleAtod(left, &a) || !absl::SimpleAtod(right, &b) ||
      (absl::StrContains(absl::StrCat(left, right), '"'))) {
    return absl::StrCat(left, " | ", right);
  }
  int64_t whole = 0;
  const auto short_text = [&](const std::string& exact, double number, int digits) {
    return absl::SimpleAtoi(exact, &whole) ? exact : absl::StrFormat("%.*g", digits, number);
  };
  for (const int digits : {6, 9}) {
    const std::string ours = short_text(left, a, digits);
    const std::string theirs = short_text(right, b, digits);
    if (ours != theirs) return absl::StrCat(ours, " | ", theirs);
  }
  return absl::StrCat(left, " | ", right);
}

bool IsList(const Attribute& attribute) {
  return std::holds_alternative<std::vector<int64_t>>(attribute) ||
         std::holds_alternative<std::vector<float>>(attribute) ||
         std::holds_alternative<std::vector<std::string>>(attribute) ||
         std::holds_alternative<Tensor>(attribute);
}

std::string ListDifferenceText(const std::vector<std::string>& left,
                               const std::vector<std::string>& right) {
  constexpr int64_t kShown = 3;
  const size_t both = std::min(left.size(), right.size());
  int64_t count = 0;
  std::vector<std::string> shown;
  for (size_t i = 0; i < both; ++i) {
    if (left[i] == right[i]) continue;
    if (count++ < kShown) {
      shown.push_back(absl::StrCat("[", i, "] ", PairText(left[i], right[i])));
    }
  }
  if (count > kShown) shown.emplace_back("...");
  std::string text;
  if (left.size() != right.size()) {
    text = absl::StrCat(left.size(), " | ", right.size(), " elements");
    if (count == 0) return text;
    absl::StrAppend(&text, ", of the first ", both, " ");
  }
  absl::StrAppend(&text, count, text.empty() ? absl::StrCat(" of ", both, " elements") : "",
                  count == 1 ? " differs, " : " differ, ", absl::StrJoin(shown, ", "));
  return text;
}

}  // namespace

std::string AttributeText(const Node& node, const std::string& name) {
  const auto it = node.attributes.find(name);
  return it == node.attributes.end() ? "not given" : AttributeText(it->second);
}

std::string AttributeText(const Attribute& attribute) { return std::visit(ToText(), attribute); }

std::string AttributeDifferenceText(const Attribute& left, const Attribute& right) {
  const std::string ours = AttributeText(left);
  const std::string theirs = AttributeText(right);
  const ToElements::Elements a = std::visit(ToElements(), left);
  const ToElements::Elements b = std::visit(ToElements(), right);
  if (!a.has_value() || !b.has_value()) {
    return ours == theirs ? "" : absl::StrCat(ours, " | ", theirs);
  }
  if (*a == *b) return "";
  if (!IsList(left) && !IsList(right)) return PairText(a->front(), b->front());
  const bool tensors =
      std::holds_alternative<Tensor>(left) || std::holds_alternative<Tensor>(right);
  if (!tensors && std::max(a->size(), b->size()) <= kMaxItems && ours != theirs) {
    return absl::StrCat(ours, " | ", theirs);
  }
  return ListDifferenceText(*a, *b);
}

std::string AttributeDifferenceText(const Node& left, const Node& right, const std::string& name) {
  const auto a = left.attributes.find(name);
  const auto b = right.attributes.find(name);
  const bool in_left = a != left.attributes.end();
  const bool in_right = b != right.attributes.end();
  if (in_left && in_right) return AttributeDifferenceText(a->second, b->second);
  if (!in_left && !in_right) return "";
  return absl::StrCat(AttributeText(left, name), " | ", AttributeText(right, name));
}

std::vector<std::string> AttributeNames(const Node* left, const Node* right) {
  std::vector<std::string> names;
  for (const Node* node : {left, right}) {
    if (node == nullptr) continue;
    for (const auto& [name, value] : node->attributes) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace onnxcmp
