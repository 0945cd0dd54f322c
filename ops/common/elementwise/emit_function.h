// Operators that are one function of vector_math.h: it writes straight into the output, while a
// function that is part of an expression goes through strips of its own.
//
//   absl::Status Exp(KernelContext& ctx) { return EmitFunction(ctx, {vec::Exp, vec::Exp}); }
#ifndef ONNXCMP_OPS_COMMON_ELEMENTWISE_EMIT_FUNCTION_H_
#define ONNXCMP_OPS_COMMON_ELEMENTWISE_EMIT_FUNCTION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {

struct VectorFunction {
  void (*of_float)(const float* x, int64_t count, float* y);
  void (*of_double)(const double* x, int64_t count, double* y);
};

// output = function(input), of the input's dtype.
inline absl::Status EmitFunction(KernelContext& ctx, const VectorFunction& function) {
  static constexpr StripKernel kKernels[] = {
      {ComputeClass::kFloat, ComputeClass::kFloat,
       [](const void* f, const void* const* in, void* out, int64_t count) {
         static_cast<const VectorFunction*>(f)->of_float(static_cast<const float*>(in[0]), count,
                                                         static_cast<float*>(out));
       }},
      {ComputeClass::kDouble, ComputeClass::kDouble,
       [](const void* f, const void* const* in, void* out, int64_t count) {
         static_cast<const VectorFunction*>(f)->of_double(static_cast<const double*>(in[0]), count,
                                                          static_cast<double*>(out));
       }}};
  return EmitStrips(ctx, {&ctx.Input(0)}, kKernels, &function, DType::kUndefined);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTWISE_EMIT_FUNCTION_H_
