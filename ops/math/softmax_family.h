// The lanes of Softmax, LogSoftmax and Hardmax: which elements make one.
#ifndef ONNXCMP_OPS_MATH_SOFTMAX_FAMILY_H_
#define ONNXCMP_OPS_MATH_SOFTMAX_FAMILY_H_

#include <cstdint>

#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// Functions of a lane of `count` > 0 elements.
struct LaneFunctions {
  void (*of_float)(const float* x, int64_t count, float* y);
  void (*of_double)(const double* x, int64_t count, double* y);
};

// The kernel that applies the functions to every lane along `axis`; before version 13 the tensor is
// coerced to two dimensions first, so that a lane runs over all axes from `axis` on. Narrow floats
// are computed in float and rounded once.
Kernel SoftmaxFamilyKernel(const KernelInit& node, const LaneFunctions& functions);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_MATH_SOFTMAX_FAMILY_H_
