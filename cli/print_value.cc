#include "cli/print_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "record/differences/element_reader.h"
#include "record/differences/element_text.h"

namespace onnxcmp::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr int64_t kFewElements = 8;
constexpr size_t kFewParts = 8;
constexpr int kMaxDepth = 16;

std::string Elements(const Tensor& tensor, int64_t count) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < count; ++i) {
    texts.push_back(ElementText(tensor, i));
  }
  if (count < tensor.num_elements()) {
    texts.push_back("...");
  }
  return tensor.rank() == 0 ? texts[0] : absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

// Least, greatest and mean of the finite elements; the number of others, and the place of the
// first.
std::string Statistics(const Tensor& tensor) {
  constexpr int64_t kStrip = 512;
  std::array<double, kStrip> strip;
  const ElementReader reader(tensor);
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  double sum = 0;
  int64_t nans = 0, infinities = 0;
  int64_t first_nan = -1, first_infinity = -1;
  const int64_t size = tensor.num_elements();
  for (int64_t first = 0; first < size; first += kStrip) {
    const int64_t count = std::min(kStrip, size - first);
    reader.Read(first, count, strip.data());
    for (int64_t i = 0; i < count; ++i) {
      const double element = strip[static_cast<size_t>(i)];
      if (std::isnan(element)) {
        if (nans++ == 0) first_nan = first + i;
      } else if (std::isinf(element)) {
        if (infinities++ == 0) first_infinity = first + i;
      } else {
        least = std::min(least, element);
        greatest = std::max(greatest, element);
        sum += element;
      }
    }
  }
  const int64_t finite = size - nans - infinities;
  std::vector<std::string> parts;
  if (finite > 0) {
    parts.push_back(absl::StrFormat("min %.6g  max %.6g  mean %.6g", least, greatest,
                                    sum / static_cast<double>(finite)));
  }
  const auto add = [&](int64_t number, int64_t at, const char* what) {
    if (number == size) {
      parts.push_back(absl::StrCat("all ", what));
    } else if (number > 0) {
      parts.push_back(absl::StrCat(number, " ", what, " from ", IndexText(tensor.shape(), at)));
    }
  };
  add(nans, first_nan, "NaN");
  add(infinities, first_infinity, "infinite");
  return absl::StrJoin(parts, "  ");
}

std::string Contents(const Tensor& tensor) {
  if (tensor.num_elements() == 0) {
    return "empty";
  }
  if (tensor.num_elements() <= kFewElements) {
    return Elements(tensor, tensor.num_elements());
  }
  if (tensor.dtype() == DType::kString || IsComplex(tensor.dtype())) {
    return Elements(tensor, kFewElements / 2);
  }
  return Statistics(tensor);
}

std::string Summary(absl::string_view name, const Value& value, int depth) {
  const std::string indent(static_cast<size_t>(2 * depth), ' ');
  const std::string head = absl::StrCat(indent, name, "  ", value.TypeString());
  if (value.is_tensor() && value.tensor().defined()) {
    const std::string contents = Contents(value.tensor());
    const bool fits = head.size() + 2 + contents.size() <= kWidth;
    return fits ? absl::StrCat(head, "  ", contents, "\n")
                : absl::StrCat(head, "\n", indent, "  ", contents, "\n");
  }
  std::string text = absl::StrCat(head, "\n");
  if (depth >= kMaxDepth) {
    return text;
  }
  if (value.is_sequence()) {
    const std::vector<Value>& elements = value.sequence().elements;
    for (size_t i = 0; i < std::min(elements.size(), kFewParts); ++i) {
      absl::StrAppend(&text, Summary(absl::StrCat("[", i, "]"), elements[i], depth + 1));
    }
    if (elements.size() > kFewParts) {
      absl::StrAppend(&text, indent, "  ... ", elements.size() - kFewParts, " more\n");
    }
  } else if (value.is_optional() && value.optional().element != nullptr) {
    absl::StrAppend(&text, Summary("value", *value.optional().element, depth + 1));
  } else if (value.is_map()) {
    absl::StrAppend(&text, Summary("keys", value.map().keys, depth + 1));
    if (value.map().values != nullptr) {
      absl::StrAppend(&text, Summary("values", *value.map().values, depth + 1));
    }
  } else if (value.is_sparse()) {
    absl::StrAppend(&text, Summary("values", value.sparse().values, depth + 1));
  }
  return text;
}

}  // namespace

std::string ValueSummary(absl::string_view name, const Value& value) {
  return Summary(name, value, 0);
}

}  // namespace onnxcmp::cli
