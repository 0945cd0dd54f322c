// Kernels of support vector machines, which SVMClassifier and SVMRegressor share.
#ifndef ONNXCMP_OPS_TRADITIONALML_SVM_H_
#define ONNXCMP_OPS_TRADITIONALML_SVM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct SvmKernel {
  enum class Type : uint8_t { kLinear, kPoly, kRbf, kSigmoid };
  Type type = Type::kLinear;
  float gamma = 0;
  float coef0 = 0;
  float degree = 0;
};

// From kernel_type and kernel_params (zeros if there are none).
absl::StatusOr<SvmKernel> ReadSvmKernel(const KernelInit& node);

// k(X[n], vectors[i]) for all rows and all `count` vectors: (N, count) in S (float, double).
//   LINEAR x . v   POLY (gamma x . v + coef0)^degree   RBF exp(-gamma |x - v|^2)
//   SIGMOID tanh(gamma x . v + coef0)
template <typename S>
absl::StatusOr<Tensor> SvmKernels(const KernelContext& ctx, const SvmKernel& kernel,
                                  const Tensor& x, const Tensor& vectors, int64_t count);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_SVM_H_
