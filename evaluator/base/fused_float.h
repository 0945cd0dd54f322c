// a * b + c of floats, rounded once, for processors without such an instruction: a fraction of the
// time of the C library's fmaf.
#ifndef ONNXCMP_EVALUATOR_BASE_FUSED_FLOAT_H_
#define ONNXCMP_EVALUATOR_BASE_FUSED_FLOAT_H_

#include <bit>
#include <cstdint>

namespace onnxcmp {

[[gnu::always_inline]] inline float FusedFloat(float a, float b, float c) {
  const double product = static_cast<double>(a) * b;  // exact
  const double sum = product + c;
  // The rounding of the sum, exactly; NaN beside infinities.
  const double added = sum - product;
  const double lost = (product - (sum - added)) + (c - added);
  // To an odd last bit, from where the rounding to float goes to the right side.
  int64_t bits = std::bit_cast<int64_t>(sum);
  const bool is_odd = bits % 2 != 0;
  if (!is_odd && lost > 0) bits += sum > 0 ? 1 : -1;
  if (!is_odd && lost < 0) bits += sum > 0 ? -1 : 1;
  return static_cast<float>(std::bit_cast<double>(bits));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_FUSED_FLOAT_H_
