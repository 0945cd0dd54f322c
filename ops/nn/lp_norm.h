// |x|^p and its inverse, for pools and norms.
#ifndef ONNXCMP_OPS_NN_LP_NORM_H_
#define ONNXCMP_OPS_NN_LP_NORM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// The attribute p, a float in version 1 of pools and an int afterwards; an error if it is not
// positive.
absl::StatusOr<double> NormOrder(const KernelInit& node);

// y[i] = |x[i]|^p; y may be x. C: float, double.
template <typename C>
void PowersOf(const C* x, int64_t count, double p, C* y);

// y[i] = x[i]^(1/p) for x[i] >= 0; y may be x.
template <typename C>
void RootsOf(const C* x, int64_t count, double p, C* y);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_NN_LP_NORM_H_
