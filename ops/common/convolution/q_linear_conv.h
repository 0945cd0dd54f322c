// QLinearConv of both domains.
#ifndef ONNXCMP_OPS_COMMON_CONVOLUTION_Q_LINEAR_CONV_H_
#define ONNXCMP_OPS_COMMON_CONVOLUTION_Q_LINEAR_CONV_H_

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/convolution/conv_family.h"

namespace onnxcmp {

// Inputs: x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point and the
// optional B:
//   real = (conv(x - x_zero_point, w - w_zero_point) + B) * x_scale * w_scale
//   y = saturate(round(real / y_scale) + y_zero_point)
// The sums are exact (they wrap); w_scale and w_zero_point are numbers or vectors over the output
// channels. With channels_last x and y are (N, D1, ..., C), and w is as ever.
absl::Status RunQLinearConv(KernelContext& ctx, const ConvAttributes& attributes,
                            bool channels_last);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_CONVOLUTION_Q_LINEAR_CONV_H_
