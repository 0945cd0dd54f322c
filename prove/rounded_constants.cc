#include "prove/rounded_constants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "evaluator/tensor/convert.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// A part of an axis: how many elements it has, and how many elements of the axis one step is.
struct AxisPart {
  size_t axis;
  int64_t count;
  int64_t step;
};

// The places of weights of this shape, with zeros after them, with their axes split and taken in an
// order.
class PlacesInOrder {
 public:
  PlacesInOrder(const Shape& shape, const std::vector<AxisPart>& parts)
      : shape_(shape), parts_(parts), strides_(shape.size(), 1), index_(shape.size(), 0) {
    for (size_t i = shape.size(); i-- > 1;) strides_[i - 1] = strides_[i] * shape[i];
    Walk(0);
  }
  Places Take() { return std::move(places_); }

 private:
  void Walk(size_t part) {
    if (part == parts_.size()) {
      int64_t place = 0;
      for (size_t i = 0; i < shape_.size(); ++i) {
        if (index_[i] >= shape_[i]) {
          places_.push_back(kNoPlace);
          return;
        }
        place += index_[i] * strides_[i];
      }
      places_.push_back(static_cast<size_t>(place));
      return;
    }
    const AxisPart& at = parts_[part];
    for (int64_t i = 0; i < at.count; ++i) {
      Walk(part + 1);
      index_[at.axis] += at.step;
    }
    index_[at.axis] -= at.count * at.step;
  }

  const Shape& shape_;
  const std::vector<AxisPart>& parts_;
  Shape strides_, index_;
  Places places_;
};

Places InOrder(const Shape& shape, const std::vector<AxisPart>& parts) {
  return PlacesInOrder(shape, parts).Take();
}

// The least and the greatest number of a type of whole numbers.
std::optional<std::array<double, 2>> RangeOf(DType dtype) {
  const auto of_bits = [](int bits, bool is_signed) {
    const double half = std::ldexp(1.0, bits - 1);
    return is_signed ? std::array<double, 2>{-half, half - 1}
                     : std::array<double, 2>{0, 2 * half - 1};
  };
  switch (dtype) {
    case DType::kInt2:
    case DType::kUint2:
      return of_bits(2, dtype == DType::kInt2);
    case DType::kInt4:
    case DType::kUint4:
      return of_bits(4, dtype == DType::kInt4);
    case DType::kInt8:
    case DType::kUint8:
      return of_bits(8, dtype == DType::kInt8);
    case DType::kInt16:
    case DType::kUint16:
      return of_bits(16, dtype == DType::kInt16);
    case DType::kInt32:
      return of_bits(32, true);
    default:
      return std::nullopt;
  }
}

// How far a folded constant may be from what it was folded from.
constexpr int64_t kMostUlp = 4;

// The step between numbers of this size in a type.
double StepAt(double size, DType dtype) {
  if (dtype == DType::kFloat) {
    const auto number = static_cast<float>(size);
    return static_cast<double>(std::nextafter(number, std::numeric_limits<float>::infinity())) -
           static_cast<double>(number);
  }
  size = RoundTo(dtype, size);
  double step = size;
  while (RoundTo(dtype, size + step / 2) != size && step > size * 1e-17) step /= 2;
  return step;
}

// The elements that another order of computing has rounded otherwise are many, or all; a fault is
// one.
bool IsSpread(int64_t others, int64_t all) { return others >= 2 && others * 20 >= all; }

}  // namespace

std::vector<Places> LayoutsOf(const Shape& weights, const Shape& constant) {
  std::vector<Places> layouts;
  const auto whole = [&](size_t axis) { return AxisPart{axis, weights[axis], 1}; };
  if (weights == constant) {
    std::vector<AxisPart> parts;
    for (size_t i = 0; i < weights.size(); ++i) parts.push_back(whole(i));
    layouts.push_back(InOrder(weights, parts));
  }
  if (weights.size() == 2 && constant.size() == 2) {
    const auto fills_up = [&](size_t axis) {
      return constant[1] > weights[axis] &&
             constant[1] < weights[axis] + work_bounds::kManyCandidates;
    };
    if (constant[0] == weights[1] && (constant[1] == weights[0] || fills_up(0))) {
      layouts.push_back(InOrder(weights, {whole(1), {0, constant[1], 1}}));
    }
    if (constant[0] == weights[0] && fills_up(1)) {
      layouts.push_back(InOrder(weights, {whole(0), {1, constant[1], 1}}));
    }
  }
  if (weights.size() != 4 || constant.size() != 4 || weights[2] != constant[2] ||
      weights[3] != constant[3]) {
    return layouts;
  }
  for (const int64_t block : {16, 8}) {
    const int64_t outputs = (weights[0] + block - 1) / block * block;
    const int64_t inputs = (weights[1] + block - 1) / block * block;
    const AxisPart outer = {0, outputs / block, block};
    const AxisPart inner = {0, block, 1};
    if (constant[0] == outputs && constant[1] == weights[1]) {
      layouts.push_back(InOrder(weights, {outer, whole(1), whole(2), whole(3), inner}));
    }
    if (constant[0] == outputs && constant[1] == inputs) {
      layouts.push_back(InOrder(
          weights, {outer, {1, inputs / block, block}, whole(2), whole(3), {1, block, 1}, inner}));
    }
  }
  return layouts;
}

int DigitsOf(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
      return 53;
    case DType::kFloat:
      return 24;
    case DType::kFloat16:
      return 11;
    case DType::kBfloat16:
      return 8;
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
      return 4;
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return 3;
    default:
      return 0;
  }
}

Rounding RoundedTo(DType dtype, double number, double rounded, double slack) {
  if (std::isnan(number) || std::isnan(rounded)) return Rounding::kOther;
  if (number == rounded) return Rounding::kSame;
  for (const double factor : {1.0, 1 - slack, 1 + slack}) {
    if (RoundTo(dtype, number * factor) != rounded) continue;
    if (std::isinf(rounded)) return Rounding::kOutOfRange;
    return rounded == 0 ? Rounding::kZero : Rounding::kNearest;
  }
  if (dtype != DType::kFloat16) return Rounding::kOther;
  if (std::signbit(number) != std::signbit(rounded) && rounded != 0) return Rounding::kOther;
  // Converters cut large numbers to the greatest one, or to 10000, and keep small ones above 0.
  const double greatest = GreatestFinite(dtype);
  constexpr double kVanishing = 1e-7;
  const double size = std::fabs(rounded);
  if (std::fabs(number) > greatest) {
    return size == greatest || size == thresholds::kMaskFill ? Rounding::kOutOfRange
                                                             : Rounding::kOther;
  }
  const bool small = number != 0 && std::fabs(number) < kVanishing;
  return small && size > 0 && size <= RoundTo(dtype, kVanishing) ? Rounding::kZero
                                                                 : Rounding::kOther;
}

CodeRange CodeRangeOf(DType dtype, double scale, double zero) {
  const std::optional<std::array<double, 2>> range = RangeOf(dtype);
  if (!range.has_value()) return {};
  return {((*range)[0] - zero) * scale, ((*range)[1] - zero) * scale, scale};
}

Rounding QuantizedTo(DType dtype, double number, const Code& code, double slack) {
  if (number == (code.code - code.zero) * code.scale) return Rounding::kSame;
  if (code.scale == 0 || !std::isfinite(code.scale) || !std::isfinite(number))
    return Rounding::kOther;
  const double exact = number / code.scale + code.zero;
  if (DigitsOf(dtype) > 0) return RoundedTo(dtype, exact, code.code, slack);
  const std::optional<std::array<double, 2>> range = RangeOf(dtype);
  if (!range.has_value()) return Rounding::kOther;
  const double distance = std::fabs(exact - code.code);
  const double allowed = slack * std::max(1.0, std::fabs(exact - code.zero));
  if (distance <= 0.5 + allowed) return Rounding::kNearest;
  // Symmetric scales leave no code for the greatest number.
  const bool cut = (code.code == (*range)[0] && exact < (*range)[0]) ||
                   (code.code == (*range)[1] && exact > (*range)[1]);
  return cut && distance <= 1 + allowed ? Rounding::kOutOfRange : Rounding::kOther;
}

bool RoundingAgreement::Add(double constant, double exact, double size,
                            absl::Span<const double> computed) {
  ++count_;
  for (size_t i = 0; i < computed.size(); ++i) misses_[i] += computed[i] != constant ? 1 : 0;
  if (constant == exact) return true;
  const double step = StepAt(std::max({std::fabs(exact), std::fabs(constant), size}), dtype_);
  const double ulp = std::ceil(std::fabs(constant - exact) / step);
  if (!(ulp <= static_cast<double>(kMostUlp))) return false;
  ulp_ = std::max(ulp_, static_cast<int64_t>(ulp));
  return true;
}

bool RoundingAgreement::Agrees(bool alike) const {
  const int64_t least = *std::min_element(misses_.begin(), misses_.end());
  return count_ > 0 && (least == 0 || IsSpread(least, count_) || !alike);
}

std::vector<bool> RoundingAgreement::Ways() const {
  std::vector<bool> ways;
  for (const int64_t misses : misses_) ways.push_back(count_ > 0 && misses == 0);
  return ways;
}

}  // namespace onnxcmp
