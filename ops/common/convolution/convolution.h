// Convolutions as matrix products: the weights times a matrix whose columns are the windows. That
// matrix is never made; its panels are packed as the product asks for them.
#ifndef ONNXCMP_OPS_COMMON_CONVOLUTION_CONVOLUTION_H_
#define ONNXCMP_OPS_COMMON_CONVOLUTION_CONVOLUTION_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "ops/common/convolution/windows.h"
#include "ops/common/products/byte_pairs.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {

struct ConvolutionShape {
  int64_t batch;
  int64_t groups;
  int64_t in_channels;   // of a group
  int64_t out_channels;  // of a group
  Windows windows;       // at least one dimension
};

// y[n, g * out_channels + m, o] = sum over channels c and taps t, in this order, of
// w[g * out_channels + m, c, t] * x[n, g * in_channels + c, input of window o at t]
// with 0 for inputs in the padding. All tensors are contiguous. A sum is made as gemm.h promises,
// with k running over (c, t).
//
// The epilogue's blocks: batch is n * groups + g, rows are channels of the group, columns windows.
template <typename T>  // float, double
absl::Status Convolve(const ThreadPool& pool, const ConvolutionShape& shape, const T* x, const T* w,
                      T* y, std::optional<GemmEpilogue> epilogue = std::nullopt);

// The same for 8-bit integers less their zero points, of x and of each output channel of w: exact,
// as long as sums fit into 32 bits; they wrap otherwise.
absl::Status ConvolveIntegers(const ThreadPool& pool, const ConvolutionShape& shape, Bytes x,
                              int16_t x_zero, Bytes w, absl::Span<const int16_t> w_zeros,
                              int32_t* y, std::optional<GemmEpilogue> epilogue = std::nullopt);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_CONVOLUTION_CONVOLUTION_H_
