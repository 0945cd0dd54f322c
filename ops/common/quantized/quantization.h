// Linear quantization of whole tensors: y = saturate(round(x / scale) + zero point) and back.
#ifndef ONNXCMP_OPS_COMMON_QUANTIZED_QUANTIZATION_H_
#define ONNXCMP_OPS_COMMON_QUANTIZED_QUANTIZATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

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

// Input `index` as one number for each of a convolution's output channels; it may be one for all.
// C: double, int64_t.
template <typename C>
absl::StatusOr<std::vector<C>> PerChannelInput(const KernelContext& ctx, int index,
                                               int64_t channels);

// The same of zero points of 8-bit integers.
absl::StatusOr<std::vector<int16_t>> ZeroPointsInput(const KernelContext& ctx, int index,
                                                     int64_t channels);

// An element type that an attribute gives as a number of onnx.TensorProto.DataType; 0: kUndefined.
absl::StatusOr<DType> DTypeFromNumber(int64_t number);

// How sums become 8-bit integers: saturate(round(sum * scale) + zero point), ties to even; NaN
// becomes the lowest value.
class Requantization {
 public:
  Requantization(DType dtype, int64_t zero_point);  // int8 or uint8

  // out[i] = sums[i] * (scale * scales[i]), requantized.
  void Store(const int32_t* sums, int64_t count, double scale, const double* scales,
             std::byte* out) const;
  // out[i] = (sums[i] + offset) * scale, requantized; the addition wraps.
  void Store(const int32_t* sums, int64_t count, int32_t offset, double scale,
             std::byte* out) const;

 private:
  static constexpr int kStrip = 64;
  void StoreStrip(const double* values, int64_t count, std::byte* out) const;

  int32_t zero_point_;
  double low_;  // and high_: before the zero point is added
  double high_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_QUANTIZED_QUANTIZATION_H_
