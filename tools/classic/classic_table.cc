#include "tools/classic/classic_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "record/differences/element_reader.h"
#include "record/differences/number_strips.h"
#include "tools/classic/classic_distance.h"

namespace onnxcmp {
namespace {

bool HasNumbers(const Value& value) {
  return value.is_tensor() && value.tensor().defined() && value.tensor().dtype() != DType::kString;
}

// Formats like Python's ".5g".
std::string FiveDigits(float number) {
  return std::isnan(number) ? "nan" : absl::StrFormat("%.5g", number);
}

// NumPy's maximum: NaN wins.
float MaxOrNaN(float a, float b) { return a >= b || std::isnan(a) ? a : b; }

// " | a=… r=…": the greatest |x - y| and |x - y| / (|x| + 1e-7) of the elements as floats, "" if
// the values are not tensors of numbers of one length.
std::string Errors(const Value& left, const Value& right) {
  if (!HasNumbers(left) || !HasNumbers(right) ||
      left.tensor().num_elements() != right.tensor().num_elements()) {
    return "";
  }
  std::array<float, kNumberStrip> x;
  std::array<float, kNumberStrip> y;
  const ElementReader left_reader(left.tensor());
  const ElementReader right_reader(right.tensor());
  float absolute = 0;
  float relative = 0;
  const int64_t size = left.tensor().num_elements();
  for (int64_t first = 0; first < size; first += kNumberStrip) {
    const int64_t count = std::min(kNumberStrip, size - first);
    left_reader.Read(first, count, x.data());
    right_reader.Read(first, count, y.data());
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const float difference = std::abs(x[i] - y[i]);
      absolute = MaxOrNaN(absolute, difference);
      relative = MaxOrNaN(relative, difference / (std::abs(x[i]) + 1e-7f));
    }
  }
  return absl::StrCat(" | a=", FiveDigits(absolute), " r=", FiveDigits(relative));
}

// The rows to which a step advances: both for a pair.
struct Advance {
  bool left;
  bool right;
};
Advance AdvanceOf(absl::Span<const ClassicStep> steps, size_t k) {
  const ClassicStep before = k == 0 ? ClassicStep{-1, -1} : steps[k - 1];
  // For an empty stream all steps have -1, to which no step advances.
  return {steps[k].left > before.left, steps[k].right > before.right};
}

}  // namespace

std::string ClassicTable(absl::Span<const ClassicRow> left, absl::Span<const ClassicRow> right,
                         absl::Span<const ClassicStep> steps, const ClassicTableOptions& options) {
  const int width = options.column_size;
  const std::string blank(static_cast<size_t>(width), ' ');
  std::string table;
  for (size_t k = 0; k < steps.size(); ++k) {
    const Advance advance = AdvanceOf(steps, k);
    absl::StrAppend(&table, k == 0 ? "" : "\n", absl::StrFormat("%03d ", k + 1));
    if (advance.left && advance.right) {
      const ClassicRow& a = left[static_cast<size_t>(steps[k].left)];
      const ClassicRow& b = right[static_cast<size_t>(steps[k].right)];
      absl::StrAppend(&table, ClassicDistance(a, b) == 0 ? "=" : "~", " | ",
                      FitColumn(ClassicRowText(a), width), " | ",
                      FitColumn(ClassicRowText(b), width));
      if (options.keep_tensors) {
        absl::StrAppend(&table, Errors(a.value, b.value));
      }
    } else if (advance.right) {
      const ClassicRow& b = right[static_cast<size_t>(steps[k].right)];
      absl::StrAppend(&table, "+ | ", blank, " | ", FitColumn(ClassicRowText(b), width), " ");
    } else {
      const ClassicRow& a = left[static_cast<size_t>(steps[k].left)];
      absl::StrAppend(&table, "- | ", FitColumn(ClassicRowText(a), width), " | ", blank);
    }
  }
  return table;
}

bool AllEqual(absl::Span<const ClassicRow> left, absl::Span<const ClassicRow> right,
              absl::Span<const ClassicStep> steps) {
  for (size_t k = 0; k < steps.size(); ++k) {
    const Advance advance = AdvanceOf(steps, k);
    if (!advance.left || !advance.right ||
        ClassicDistance(left[static_cast<size_t>(steps[k].left)],
                        right[static_cast<size_t>(steps[k].right)]) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace onnxcmp
