#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/causal_conv.h"

namespace onnxcmp {
namespace {

// CausalConvWithState (com.microsoft 1): as ai.onnx's, and beyond it
// - dilation d: tap j reads x'[t + j * d], states hold (K - 1) * d positions;
// - channels_last: input, output and states have their positions before the channels;
// - state_window W: states have a leading axis of those after the last W positions, the last at the
//   end; those that would be of earlier calls are 0. past_state is read from the last one.
// - of (N, L, C) with channels last: input_channels from input_channel_offset on alone;
//   state_length positions in the states, of which the convolution reads the last;
//   state_channels_last; state_update, the first state_update_capacity positions of the input, 0
//   where there are not so many.
// ndim of 2 or 3 is refused: what pads the axes that are not causal is not documented.
absl::StatusOr<Kernel> CausalConvWithState(const KernelInit& node) {
  return CausalConvKernel(node, /*extended=*/true);
}

}  // namespace

void RegisterContribCausalConvWithState(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "CausalConvWithState", {1}, CausalConvWithState);
}

}  // namespace onnxcmp
