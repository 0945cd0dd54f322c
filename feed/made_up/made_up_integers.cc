// The members of ValueMaker that make integers which are no ids.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "evaluator/tensor/dtype.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/made_up_values.h"
#include "feed/made_up/regime.h"

namespace onnxcmp {

int64_t ValueMaker::Integer(DType dtype, const InputPurpose& purpose, bool scalar) {
  const bool narrow = BitWidth(dtype) <= 16;
  auto least = static_cast<double>(IntegerMin(dtype));
  auto greatest = static_cast<double>(IntegerMax(dtype));
  if (purpose.integers.has_value()) {
    least = std::max(least, purpose.integers->least);
    greatest = std::min(greatest, purpose.integers->greatest);
  }
  double number = 0;
  if (purpose.Is<PositivePurpose>()) {
    number = static_cast<double>(1 + random_.Below(8));
  } else if (const auto key = Key(purpose)) {
    number = *key;
  } else if (const auto probe = Probe(purpose)) {
    number = std::round(*probe);
  } else if (const auto missing = Missing(purpose); missing.has_value() && !std::isnan(*missing)) {
    number = *missing;
  } else if (scalar && CrossesLimits(purpose)) {
    // Below, above and at a limit in turn.
    const size_t many = purpose.landmarks.size();
    const int side = set_ % 2 == 1 ? 1 : set_ % 4 == 2 && many == 1 ? 0 : -1;
    number = std::floor(purpose.landmarks[static_cast<size_t>(set_ / 2) % many]) + side;
  } else if (!purpose.landmarks.empty() && random_.Below(4) == 0) {
    // At a limit, and next to it on both sides.
    const double mark = std::floor(OneOf(purpose.landmarks));
    number = mark + static_cast<double>(random_.Below(3)) - 1;
  } else if (regime_ == Regime::kZeros || regime_ == Regime::kOnes) {
    number = regime_ == Regime::kZeros ? 0 : 1;
  } else if (regime_ == Regime::kEnds) {
    number = random_.Below(2) == 0 ? least : greatest;
    if (!narrow) number = std::clamp(number, -1e6, 1e6);
  } else if (narrow && regime_ != Regime::kWhole) {
    // Quantized numbers: the whole range, and after the first set often its ends.
    constexpr int64_t kOneIn = 4;
    number = set_ > 0 && random_.Below(kOneIn) == 0
                 ? (random_.Below(2) == 0 ? least : greatest)
                 : least + static_cast<double>(
                               random_.Below(static_cast<int64_t>(greatest - least) + 1));
  } else if (purpose.ties && !scalar && regime_ == Regime::kWhole && random_.Below(2) == 0) {
    number = static_cast<double>(random_.Below(3)) - 1;
  } else if (!narrow && IsForLarge(scalar) && (scalar || random_.Below(2) == 0)) {
    const int64_t large = LargeInteger(dtype);
    // A double would round it.
    if (static_cast<double>(large) > least && static_cast<double>(large) < greatest) return large;
    number = static_cast<double>(large);
  } else {
    number = static_cast<double>(random_.Below(19)) - 9;
    if (scalar && number == 0) number = 3;
    if (regime_ == Regime::kPositive || least == 0) number = std::abs(number);
    if (regime_ == Regime::kNegative && least < 0) number = -std::abs(number);
    if (regime_ == Regime::kHuge) number *= 1000;
  }
  return static_cast<int64_t>(std::clamp(number, least, std::min(greatest, 9e18)));
}

// A single integer is mostly a count or a size: one that is large has a set of its own.
bool ValueMaker::IsForLarge(bool scalar) const {
  if (scalar) return regime_ == Regime::kHuge;
  return regime_ == Regime::kWhole || regime_ == Regime::kLarge;
}

// Integers of any size whose products fit into 32 bits; or beyond that, like time stamps in
// milliseconds, some in nanoseconds.
int64_t ValueMaker::LargeInteger(DType dtype) {
  constexpr double kProducts = 30.5;
  constexpr double kMilliseconds = 42;
  const bool longer = regime_ != Regime::kWhole && BitWidth(dtype) == 64;
  if (longer && random_.Below(regime_ == Regime::kHuge ? 2 : 3) == 0) {
    // Odd, and beyond what doubles tell apart.
    constexpr double kLeastNanoseconds = 54;
    const double size = std::exp2(kLeastNanoseconds + random_.Uniform() * (61 - kLeastNanoseconds));
    return static_cast<int64_t>(size) | 1;
  }
  const double size = std::exp2(random_.Uniform() * (longer ? kMilliseconds : kProducts));
  const bool below = !IsUnsignedInteger(dtype) && random_.Below(4) == 0;
  return static_cast<int64_t>(below ? -size : size);
}

}  // namespace onnxcmp
