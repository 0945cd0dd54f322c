// Scores that are products of rows with vectors: linear models and support vector machines.
#ifndef ONNXCMP_OPS_TRADITIONALML_LINEAR_H_
#define ONNXCMP_OPS_TRADITIONALML_LINEAR_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// A tensor of rank 1.
Tensor FloatTensor(const std::vector<float>& values);

// x (N, F), or (F) as one row, times the transpose of `vectors` (count * F floats): (N, count) in S
// (float, double). An error if `vectors` has another size; `name` is how it is called then.
template <typename S>
absl::StatusOr<Tensor> RowProducts(const KernelContext& ctx, const Tensor& x, const Tensor& vectors,
                                   int64_t count, absl::string_view name);

// Runs f.template operator()<float>() for float inputs, else, since the others are wider, <double>.
template <typename F>
absl::Status InClassOf(const Tensor& x, F f) {
  if (x.dtype() == DType::kFloat) return f.template operator()<float>();
  return f.template operator()<double>();
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_LINEAR_H_
