// The functions of floats that models use most, for each set of vector instructions. vector_math.h
// and the like have them for everybody.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_MATH_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_MATH_H_

#include <cstdint>

#include "evaluator/base/instructions.h"

namespace onnxcmp::vec {

// y[i] = f(x[i]); y may be x.
struct FloatMath {
  using Function = void (*)(const float* x, int64_t count, float* y);
  Function exp;
  Function tanh;
  Function erf;
  Function sigmoid;
  Function gelu;
  Function gelu_tanh;
  // e^(x[i] - subtrahend).
  void (*exp_of_difference)(const float* x, float subtrahend, int64_t count, float* y);
};

namespace base {
FloatMath FloatFunctions();
}  // namespace base
namespace avx512 {
FloatMath FloatFunctions();
}  // namespace avx512

// Those for `instructions`, which the processor must have.
FloatMath FloatFunctionsOf(Instructions instructions);

}  // namespace onnxcmp::vec

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_FLOAT_MATH_H_
