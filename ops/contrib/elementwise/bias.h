// The bias of fused operators: a vector that is added along the last dimension.
#ifndef ONNXCMP_OPS_CONTRIB_ELEMENTWISE_BIAS_H_
#define ONNXCMP_OPS_CONTRIB_ELEMENTWISE_BIAS_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// An error unless `bias` is a vector of the size of the last dimension of `x`.
inline absl::Status CheckBias(const Tensor& x, const Tensor& bias) {
  if (bias.rank() == 1 && x.rank() >= 1 && x.shape().back() == bias.dim(0)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the bias must be a vector of the size of the input's last dimension, but the input is [",
      ShapeToString(x.shape()), "] and the bias [", ShapeToString(bias.shape()), "]"));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ELEMENTWISE_BIAS_H_
