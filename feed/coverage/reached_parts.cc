#include "feed/coverage/reached_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "feed/coverage/coverage.h"
#include "feed/made_up/tree_paths.h"

namespace onnxcmp {
namespace {

bool HasLeaves(const Node& node) {
  return node.domain == kMlDomain && absl::StartsWith(node.op_type, "TreeEnsemble");
}

// Where an encoder lists what it knows, by the type of its input.
absl::Span<const absl::string_view> KeyAttributes(const Node& node) {
  static constexpr std::array<absl::string_view, 4> kKeys = {"keys_strings", "keys_int64s",
                                                             "keys_floats", "keys_tensor"};
  static constexpr std::array<absl::string_view, 2> kCategories = {"cats_strings", "cats_int64s"};
  if (node.domain != kMlDomain) return {};
  if (node.op_type == "LabelEncoder") return kKeys;
  if (node.op_type == "CategoryMapper" || node.op_type == "OneHotEncoder") return kCategories;
  return {};
}

// A key, or an element that may be one, as text.
std::string TextOf(double number) { return absl::StrCat(number); }

std::vector<std::string> TextsOf(const Tensor& tensor) {
  std::vector<std::string> texts;
  const absl::StatusOr<Tensor> whole = tensor.Contiguous();
  if (!whole.ok()) return texts;
  const int64_t count = whole->num_elements();
  if (whole->dtype() == DType::kString) {
    const std::string* first = whole->string_data();
    return {first, first + count};
  }
  if (!IsFloatingPoint(whole->dtype()) && !IsInteger(whole->dtype())) return texts;
  std::vector<double> numbers(static_cast<size_t>(count));
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, count, numbers.data());
  for (const double number : numbers) texts.push_back(TextOf(number));
  return texts;
}

std::vector<std::string> KeysOf(const Node& node, DType dtype) {
  for (const absl::string_view name : KeyAttributes(node)) {
    const auto it = node.attributes.find(name);
    if (it == node.attributes.end()) continue;
    // A CategoryMapper has both.
    const bool strings = absl::EndsWith(name, "strings");
    if (strings != (dtype == DType::kString) && name != "keys_tensor") continue;
    std::vector<std::string> keys;
    if (const auto* words = std::get_if<std::vector<std::string>>(&it->second)) return *words;
    if (const auto* tensor = std::get_if<Tensor>(&it->second)) return TextsOf(*tensor);
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&it->second)) {
      for (const int64_t key : *integers) keys.push_back(TextOf(static_cast<double>(key)));
    }
    if (const auto* floats = std::get_if<std::vector<float>>(&it->second)) {
      for (const float key : *floats) keys.push_back(TextOf(static_cast<double>(key)));
    }
    return keys;
  }
  return {};
}

class PartsWatcher : public Observer {
 public:
  explicit PartsWatcher(PartsOfNodes* parts) : parts_(*parts) {}

  absl::Status OnResult(const Result& /*result*/, std::optional<Value>* /*replacement*/) override {
    return absl::OkStatus();
  }

  void OnNodeEnd(const NodeEnd& end) override {
    const bool leaves = HasLeaves(end.node);
    if (!leaves && KeyAttributes(end.node).empty()) return;
    if (end.inputs.empty() || !end.inputs[0].is_tensor() || end.node.outputs.empty()) return;
    const auto output = std::find_if(end.node.outputs.begin(), end.node.outputs.end(),
                                     [](const std::string& name) { return !name.empty(); });
    if (output == end.node.outputs.end()) return;
    const std::string path = WithoutIterations(std::string(end.path));
    const std::string name = path.empty() ? *output : absl::StrCat(path, "/", *output);
    (leaves ? AddLeaves(end, &parts_[name]) : AddKeys(end, &parts_[name]));
  }

 private:
  static void AddLeaves(const NodeEnd& end, ReachedParts* to) {
    constexpr int64_t kMostRows = 4096;
    const absl::StatusOr<Tensor> rows = end.inputs[0].tensor().Contiguous();
    const TreeWalker walker(end.node);
    to->word = "leaves";
    to->reached.resize(walker.leaves());
    if (!rows.ok() || rows->rank() == 0 || rows->num_elements() == 0) return;
    const int64_t width = rows->dim(rows->rank() - 1);
    std::vector<double> row(static_cast<size_t>(width));
    const int64_t count = std::min(kMostRows, rows->num_elements() / width);
    for (int64_t i = 0; i < count; ++i) {
      LoadElements<double>(rows->dtype(), rows->raw_data(), i * width, width, row.data());
      if (walker.Walk(row, &to->reached)) continue;
      to->reached.clear();
      return;
    }
  }

  static void AddKeys(const NodeEnd& end, ReachedParts* to) {
    const Tensor& tensor = end.inputs[0].tensor();
    const std::vector<std::string> keys = KeysOf(end.node, tensor.dtype());
    to->word = "keys";
    to->reached.resize(keys.size());
    absl::flat_hash_map<absl::string_view, size_t> places;
    for (size_t i = 0; i < keys.size(); ++i) places.emplace(keys[i], i);
    for (const std::string& text : TextsOf(tensor)) {
      const auto it = places.find(text);
      if (it != places.end()) to->reached[it->second] = true;
    }
  }

  PartsOfNodes& parts_;
};

}  // namespace

std::string ReachedParts::MissingText() const {
  const auto missing = std::count(reached.begin(), reached.end(), false);
  if (missing == 0) return "";
  return absl::StrCat(missing, " of ", reached.size(), " ", word, missing == 1 ? " was" : " were",
                      " not reached");
}

bool HasParts(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    if (HasLeaves(node) || !KeyAttributes(node).empty()) return true;
    const std::vector<const Graph*> inner = GraphsOf(node);
    return (node.body != nullptr && HasParts(*node.body)) ||
           std::any_of(inner.begin(), inner.end(), [](const Graph* g) { return HasParts(*g); });
  });
}

void AddReachedParts(const Evaluator& evaluator, const Feeds& feeds, PartsOfNodes* parts) {
  PartsWatcher watcher(parts);
  // The comparison has already reported a failure.
  evaluator.Run(feeds, &watcher).IgnoreError();
}

}  // namespace onnxcmp
