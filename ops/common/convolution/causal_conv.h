// Causal convolutions of single channels, which carry the end of their input over to the next call.
#ifndef ONNXCMP_OPS_COMMON_CONVOLUTION_CAUSAL_CONV_H_
#define ONNXCMP_OPS_COMMON_CONVOLUTION_CAUSAL_CONV_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

struct CausalConvOptions {
  bool silu = false;  // y * sigmoid(y) follows
  int64_t dilation = 1;
};
// Reads activation and, if `has_dilation`, dilation.
absl::StatusOr<CausalConvOptions> ReadCausalConvOptions(const KernelInit& node, bool has_dilation);

// (K - 1) * dilation, what a call carries over; an error if it is too large.
absl::StatusOr<int64_t> CarriedPositions(int64_t taps, const CausalConvOptions& options);

// y[t] = f(sum over j of weights[j] * x[t + j * dilation] + bias) for t < length; x has
// (taps - 1) * dilation elements more, and is overwritten. `bias` may be null.
template <typename C>
void ConvolveChannel(const CausalConvOptions& options, int64_t length, int64_t taps,
                     const C* weights, const C* bias, C* x, C* y);

// CausalConvWithState, which ai.onnx and com.microsoft both have; com.microsoft's (`extended`)
// knows dilation, channels_last, ndim and state_window.
absl::StatusOr<Kernel> CausalConvKernel(const KernelInit& node, bool extended);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_CONVOLUTION_CAUSAL_CONV_H_
