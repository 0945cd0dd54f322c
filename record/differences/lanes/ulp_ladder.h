// Distances in units of the last place: the number of a type's numbers between two numbers.
#ifndef ONNXCMP_RECORD_DIFFERENCES_LANES_ULP_LADDER_H_
#define ONNXCMP_RECORD_DIFFERENCES_LANES_ULP_LADDER_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "record/differences/lanes/lanes.h"

namespace onnxcmp {

// The bits of positive doubles, taken as integers, count the doubles in order; the numbers of a
// type with `digits` binary places are every 2^(52 - digits)th of them. Below its least normal
// number, a type's numbers stay as far apart as just above it; adding that number has the same
// effect on the doubles.
class UlpLadder {
 public:
  UlpLadder(int digits, double least_normal)
      : unit_(std::ldexp(1.0, digits - 52)),
        least_normal_(least_normal),
        base_(std::bit_cast<uint64_t>(least_normal)) {}

  // In units of 2^(digits - 52) ULP, which `unit` returns. Both numbers must be finite.
  uint64_t Distance(double a, double b) const {
    const uint64_t left = Rung(std::abs(a));
    const uint64_t right = Rung(std::abs(b));
    if (std::signbit(a) != std::signbit(b)) return left + right;
    return std::max(left, right) - std::min(left, right);
  }
  lanes::Bits Distance(lanes::Doubles a, lanes::Doubles b) const {
    const lanes::Bits left = Rung(lanes::Abs(a));
    const lanes::Bits right = Rung(lanes::Abs(b));
    const lanes::Bits apart = left > right ? left - right : right - left;
    return ((lanes::AsBits(a) ^ lanes::AsBits(b)) >> 63) != 0 ? left + right : apart;
  }
  double unit() const { return unit_; }

 private:
  static constexpr uint64_t kBinade = uint64_t{1} << 52;

  uint64_t Rung(double magnitude) const {
    return magnitude < least_normal_ ? std::bit_cast<uint64_t>(magnitude + least_normal_) - base_
                                     : std::bit_cast<uint64_t>(magnitude) + kBinade - base_;
  }
  lanes::Bits Rung(lanes::Doubles magnitude) const {
    const lanes::Bits below =
        lanes::AsBits(magnitude + lanes::Splat(least_normal_)) - lanes::Splat(base_);
    const lanes::Bits above = lanes::AsBits(magnitude) + lanes::Splat(kBinade - base_);
    return magnitude < lanes::Splat(least_normal_) ? below : above;
  }

  double unit_;
  double least_normal_;
  uint64_t base_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_LANES_ULP_LADDER_H_
