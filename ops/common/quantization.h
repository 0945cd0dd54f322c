// Linear quantization of whole tensors: y = saturate(round(x / scale) + zero point) and back.
#ifndef ONNXCMP_OPS_COMMON_QUANTIZATION_H_
#define ONNXCMP_OPS_COMMON_QUANTIZATION_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernel.h"
#include "evaluator/tensor.h"

namespace onnxcmp {

// How scales and zero points belong to the elements of a tensor, by the scale's shape: one for all
// (a scalar, or a vector of one element), one for each index along `axis` (a vector), or, with a
// block size, one for each block along `axis` (the tensor's shape but for that axis).
struct QuantizationAxis {
  int64_t axis = 1;
  int64_t block_size = 0;
};

struct QuantizeOptions {
  QuantizationAxis granularity;
  DType output = DType::kUint8;
  // The type that x / scale is rounded to before it is rounded to a whole number: the attribute, or
  // kUndefined for the scale's type (float, where that is no type to divide in).
  DType precision = DType::kUndefined;
  // float8 only: too large numbers become the largest finite one, not NaN or infinity.
  bool saturate = true;
};

// `zero_point` may be null; else it has the scale's shape. Ties are rounded to even; NaN becomes 0.
absl::StatusOr<Tensor> QuantizeTensor(const KernelContext& ctx, const Tensor& x,
                                      const Tensor& scale, const Tensor* zero_point,
                                      const QuantizeOptions& options);

// (x - zero point) * scale, computed in float (double for a double output) and rounded once.
absl::StatusOr<Tensor> DequantizeTensor(const KernelContext& ctx, const Tensor& x,
                                        const Tensor& scale, const Tensor* zero_point,
                                        const QuantizationAxis& granularity, DType output);

// x, of 8-bit integers, minus the zero point of its part, as int16. Parts follow each other and
// have one length.
absl::StatusOr<Tensor> SubtractZeroPoints(const KernelContext& ctx, const Tensor& x,
                                          absl::Span<const int64_t> zeros);

// Input `index` as one number for each of a convolution's output channels; it may be one for all.
// C: double, int64_t.
template <typename C>
absl::StatusOr<std::vector<C>> PerChannelInput(const KernelContext& ctx, int index,
                                               int64_t channels);

// An element type that an attribute gives as a number of onnx.TensorProto.DataType; 0: kUndefined.
absl::StatusOr<DType> DTypeFromNumber(int64_t number);

// round(value) + zero_point, saturated to an 8-bit type's [low, high]; NaN becomes low.
inline int32_t Requantize(double value, int32_t zero_point, int32_t low, int32_t high) {
  const double result = std::nearbyint(value) + zero_point;
  return result >= high ? high : result > low ? static_cast<int32_t>(result) : low;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_QUANTIZATION_H_
