// A product with weights as MatMulNBits stores them, which its fused forms share.
#ifndef ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_N_BITS_PRODUCT_H_
#define ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_N_BITS_PRODUCT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct NBitsAttributes {
  int64_t k = 0;
  int64_t bits = 0;
  int64_t block_size = 0;
};
// Reads K, bits, block_size and accuracy_level. The last allows less accuracy and is not used.
absl::StatusOr<NBitsAttributes> ReadNBitsAttributes(const KernelInit& node);
// The attributes, or an error if one of them is out of range.
absl::StatusOr<NBitsAttributes> CheckNBitsAttributes(const NBitsAttributes& attributes);

// Numbers of inputs, -1 for none:
//   b             uint8 (N, blocks, block_size * bits / 8), blocks = ceil(K / block_size)
//   scales        (N, blocks) or as many in a row
//   zero_points   codes packed as in b, each row in whole bytes; or numbers, as the scales
//   group_index   int32, at least K: the block of each column
//   bias          (N)
struct NBitsInputs {
  int b = 1;
  int scales = 2;
  int zero_points = -1;
  int group_index = -1;
  int bias = -1;
};

// a (..., K) * weights^T + bias as C; `a` is contiguous and of type C. With a group index, packed
// zero points are not used, as in onnxruntime. If b is empty (some of its dimensions are 0), the
// product is 0 and no parameter but the bias counts.
template <typename C>
absl::StatusOr<Tensor> NBitsProduct(const KernelContext& ctx, const NBitsAttributes& attributes,
                                    int64_t n, const NBitsInputs& inputs, const Tensor& a);

// The left factor of the fused forms, as C: input 0, plus input 1 (skip) if it is given; with input
// 2 (norm_scale, of length K) that times 1 / sqrt(mean of squares + epsilon) of its row times the
// scale. Sets output `sum_output`, input 0 plus skip, if it is wanted. The sum is normalized
// unrounded.
template <typename C>
absl::StatusOr<Tensor> NormalizedInput(KernelContext& ctx, int64_t k, float epsilon,
                                       int sum_output);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_N_BITS_PRODUCT_H_
