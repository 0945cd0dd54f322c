#include "record/differences/lanes/finite_strip.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "record/differences/lanes/lanes.h"

namespace onnxcmp::lanes {
namespace {

// The bits of eight floats.
using FloatBits = int32_t __attribute__((vector_size(32)));
using FloatSteps = uint32_t __attribute__((vector_size(32)));

FloatBits LoadBits(const float* p) {
  FloatBits lanes;
  std::memcpy(&lanes, p, sizeof(lanes));
  return lanes;
}

// Divisor of relative errors: the magnitude, or another number if that is 0.
template <typename Number>
Doubles Divisor(Doubles magnitude) {
  if constexpr (std::is_same_v<Number, float>) {
    // Too small to change a float.
    return magnitude + Splat(1e-300);
  } else {
    return magnitude > Doubles{} ? magnitude : Splat(1.0);
  }
}

template <typename Number>
Doubles Scaled(Doubles lanes, double scale) {
  return std::is_same_v<Number, float> ? lanes : lanes * Splat(scale);
}

// Compares floats by their bits, which as integers have the floats' order; distances of these are
// units of the last place. False if some float is not finite.
bool ExtremesOfFloats(const float* a, const float* b, int64_t count, StripErrors* errors) {
  constexpr int32_t kMagnitude = std::numeric_limits<int32_t>::max();
  constexpr int32_t kInfinityBits = 0x7f800000;  // an infinity's bits
  FloatBits greatest = {};
  FloatBits least = FloatBits{} + kMagnitude;
  FloatBits most = -least;
  FloatSteps steps = {};
  for (int64_t i = 0; i < count; i += kStripLanes) {
    const FloatBits u = LoadBits(a + i);
    const FloatBits v = LoadBits(b + i);
    const FloatBits u_magnitude = u & kMagnitude;
    const FloatBits v_magnitude = v & kMagnitude;
    // With the float's sign.
    const FloatBits x = (u_magnitude ^ (u >> 31)) - (u >> 31);
    const FloatBits y = (v_magnitude ^ (v >> 31)) - (v >> 31);
    greatest = u_magnitude > greatest ? u_magnitude : greatest;
    greatest = v_magnitude > greatest ? v_magnitude : greatest;
    least = x < least ? x : least;
    most = x > most ? x : most;
    const FloatSteps apart = (FloatSteps)(x > y ? x : y) - (FloatSteps)(x > y ? y : x);
    steps = apart > steps ? apart : steps;
  }
  if (Max(greatest) >= kInfinityBits) return false;
  const auto as_float = [](int32_t place) {
    return double{std::copysign(std::bit_cast<float>(std::abs(place)), place < 0 ? -1.0F : 1.0F)};
  };
  errors->greatest = as_float(Max(greatest));
  errors->min = as_float(-Max(-least));
  errors->max = as_float(Max(most));
  errors->max_ulp = Max(steps);
  return true;
}

void ExtremesOfDoubles(const double* a, const double* b, int64_t count, const UlpLadder* ladder,
                       StripErrors* errors) {
  Doubles greatest = {};
  Doubles least = Splat(std::numeric_limits<double>::infinity());
  Doubles most = -least;
  Bits steps = {};
  for (int64_t i = 0; i < count; i += kLanes) {
    const Doubles x = Load(a + i);
    const Doubles y = Load(b + i);
    greatest = Greater(Greater(Abs(x), Abs(y)), greatest);
    least = x < least ? x : least;
    most = Greater(x, most);
    if (ladder != nullptr) {
      const Bits step = ladder->Distance(x, y);
      steps = step > steps ? step : steps;
    }
  }
  errors->greatest = Max(greatest);
  errors->min = -Max(-least);
  errors->max = Max(most);
  if (ladder != nullptr) {
    errors->max_ulp = static_cast<double>(Max(steps)) * ladder->unit();
  }
}

}  // namespace

template <typename Number>
bool FiniteStrip<Number>::Measure(double scale, const UlpLadder* ladder) {
  if constexpr (std::is_same_v<Number, float>) {
    if (!ExtremesOfFloats(a_, b_, count_, &errors_)) return false;
    SumSizes(scale);
    SumErrors(scale);
    return true;
  } else {
    SumSizes(scale);
    SumErrors(scale);
    // Numbers that are not finite, and squares beyond the range of double, show in the sums.
    if (!std::isfinite(errors_.left_squares) || !std::isfinite(errors_.right_squares) ||
        !std::isfinite(errors_.absolutes)) {
      return false;
    }
    ExtremesOfDoubles(a_, b_, count_, ladder, &errors_);
    return true;
  }
}

// Uses two loops: the sums of both together would not fit into the registers.
template <typename Number>
void FiniteStrip<Number>::SumSizes(double scale) {
  Doubles left_squares = {}, right_squares = {}, products = {}, lefts = {};
  for (int64_t i = 0; i < count_; i += kLanes) {
    const Doubles x = Load(a_ + i);
    const Doubles y = Load(b_ + i);
    const Doubles u = Scaled<Number>(x, scale);
    const Doubles v = Scaled<Number>(y, scale);
    left_squares += u * u;
    right_squares += v * v;
    products += u * v;
    lefts += x;
  }
  errors_.left_squares = Sum(left_squares);
  errors_.right_squares = Sum(right_squares);
  errors_.products = Sum(products);
  errors_.lefts = Sum(lefts);
}

template <typename Number>
void FiniteStrip<Number>::SumErrors(double scale) {
  Doubles absolutes = {}, relatives = {}, squares = {}, differences = {};
  Doubles max_absolute = {}, max_relative = {};
  for (int64_t i = 0; i < count_; i += kLanes) {
    const Doubles x = Load(a_ + i);
    const Doubles y = Load(b_ + i);
    const Doubles exact = y - x;
    const Doubles d = Abs(exact);
    const Doubles relative = d / Divisor<Number>(Greater(Abs(x), Abs(y)));
    Store(relative, relatives_ + i);
    const Doubles scaled = Scaled<Number>(d, scale);
    absolutes += scaled;
    squares += scaled * scaled;
    relatives += relative;
    differences += exact;
    max_absolute = Greater(d, max_absolute);
    max_relative = Greater(relative, max_relative);
  }
  errors_.absolutes = Sum(absolutes);
  errors_.relatives = Sum(relatives);
  errors_.squares = Sum(squares);
  errors_.differences = Sum(differences);
  errors_.max_absolute = Max(max_absolute);
  errors_.max_relative = Max(max_relative);
}

template <typename Number>
typename FiniteStrip<Number>::Relatives FiniteStrip<Number>::CountRelatives() const {
  Bits tenth = {}, hundredth = {}, thousandth = {};
  for (int64_t i = 0; i < count_; i += kLanes) {
    const Doubles relative = Load(relatives_ + i);
    tenth -= AsBits(relative > Splat(0.1));
    hundredth -= AsBits(relative > Splat(0.01));
    thousandth -= AsBits(relative > Splat(0.001));
  }
  return {Sum(tenth), Sum(hundredth), Sum(thousandth)};
}

template <typename Number>
int64_t FiniteStrip<Number>::CountBeyond(double atol, double rtol) const {
  Bits beyond = {};
  for (int64_t i = 0; i < count_; i += kLanes) {
    const Doubles x = Load(a_ + i);
    const Doubles y = Load(b_ + i);
    const Doubles d = Abs(x - y);
    const Doubles allowed = Splat(atol) + Splat(rtol) * Greater(Abs(x), Abs(y));
    beyond -= AsBits(d > allowed) & AsBits(d > Doubles{});
  }
  return Sum(beyond);
}

template <typename Number>
int64_t FiniteStrip<Number>::NextWorse(int64_t i, double absolute, double relative) const {
  const auto worse = [&](int64_t at) {
    const Doubles d = Abs(Load(a_ + at) - Load(b_ + at));
    return AsBits(d > Splat(absolute)) | AsBits(Load(relatives_ + at) > Splat(relative));
  };
  while (i + 2 * kLanes <= count_ && !Any(worse(i) | worse(i + kLanes))) i += 2 * kLanes;
  while (i < count_ && !(AbsoluteAt(i) > absolute || RelativeAt(i) > relative)) ++i;
  return i;
}

template <typename Number>
double FiniteStrip<Number>::AbsoluteAt(int64_t i) const {
  return std::abs(static_cast<double>(a_[i]) - static_cast<double>(b_[i]));
}

template <typename Number>
PairMoments FiniteStrip<Number>::Totals(const Counting& counting) const {
  if (errors_.greatest > counting.limit || counting.center != 0) {
    return MomentsOfStrip(a_, b_, count_, counting);
  }
  PairMoments totals;
  totals.sums = {count_, 0, errors_.left_squares, errors_.right_squares};
  totals.left = errors_.lefts;
  totals.products = errors_.products;
  if (counting.atol == 0) {
    totals.sums.differences = errors_.squares;
    totals.difference = errors_.differences;
  }
  if (counting.atol == 0 || errors_.max_absolute <= counting.atol) return totals;
  Doubles squares = {}, difference = {};
  for (int64_t i = 0; i < count_; i += kLanes) {
    const Doubles exact = Load(b_ + i) - Load(a_ + i);
    const Doubles size = Greater(Abs(exact) - Splat(counting.atol), Doubles{});
    squares += size * size;
    difference += AsDoubles(AsBits(size) | (AsBits(exact) & kSign));
  }
  totals.sums.differences = Sum(squares);
  totals.difference = Sum(difference);
  return totals;
}

template class FiniteStrip<float>;
template class FiniteStrip<double>;

}  // namespace onnxcmp::lanes
