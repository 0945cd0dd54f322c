#include "compare/inside/part_of_constant.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostOfConstant = int64_t{1} << 22;

Shape SizesBeyondOne(const Shape& shape) {
  Shape rest;
  for (const int64_t size : shape) {
    if (size != 1) rest.push_back(size);
  }
  return rest;
}

// The one axis along which `part` has fewer elements.
std::optional<size_t> SlicedAxis(const Shape& part, const Shape& whole) {
  if (part.size() != whole.size()) return std::nullopt;
  std::optional<size_t> axis;
  for (size_t a = 0; a < part.size(); ++a) {
    if (part[a] == whole[a]) continue;
    if (axis.has_value() || part[a] > whole[a]) return std::nullopt;
    axis = a;
  }
  return axis;
}

}  // namespace

bool IsPartOfConstant(const Tensor& part, const Tensor& constant) {
  if (part.dtype() != constant.dtype() || part.num_elements() == 0 ||
      constant.num_elements() > kMostOfConstant || !IsMeasurable(Value(part)) ||
      !IsMeasurable(Value(constant))) {
    return false;
  }
  const Shape sizes = SizesBeyondOne(part.shape());
  const Shape whole = SizesBeyondOne(constant.shape());
  const std::optional<size_t> axis = SlicedAxis(sizes, whole);
  if (!axis.has_value()) return false;
  int64_t inner = 1;
  for (size_t a = *axis + 1; a < whole.size(); ++a) inner *= whole[a];
  const int64_t rows = constant.num_elements() / (inner * whole[*axis]);
  const std::vector<double> a = ElementsOf(part);
  // One number proves nothing.
  if (std::all_of(a.begin(), a.end(), [&](double x) { return x == a.front(); })) return false;
  const std::vector<double> b = ElementsOf(constant);
  const int64_t run = sizes[*axis] * inner;
  for (int64_t first = 0; first + sizes[*axis] <= whole[*axis]; ++first) {
    bool same = true;
    for (int64_t row = 0; row < rows && same; ++row) {
      const auto* const from = a.data() + row * run;
      same = std::equal(from, from + run, b.data() + (row * whole[*axis] + first) * inner);
    }
    if (same) return true;
  }
  return false;
}

}  // namespace onnxcmp
