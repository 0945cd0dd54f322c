#include <algorithm>
#include <vector>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/products/gemm.h"
#include "ops/common/recurrent/recurrent.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status RunRnn(KernelContext& ctx, const RecurrentOptions& options) {
  OC_ASSIGN_OR_RETURN(RecurrentParameters<C> p, LoadRecurrentParameters<C>(ctx, options));
  const int64_t hidden = p.hidden;
  std::vector<C> bias;
  for (int d = 0; d < options.directions; ++d) {
    for (int64_t i = 0; i < hidden; ++i) bias.push_back(p.Wb(d)[i] + p.Rb(d)[i]);
  }
  auto cell = [&](const RecurrentStep<C>& step) {
    Gemm<C>(ctx.pool(), {p.batch, hidden, hidden}, {step.h_previous, hidden, 1},
            p.RTransposed(step.direction), {step.gates, hidden, 0, {}, true});
    ctx.pool().ParallelRanges(p.batch, LaneGrain(hidden, 16), [&](int64_t begin, int64_t end) {
      for (int64_t entry = begin; entry < end; ++entry) {
        C* row = step.gates + entry * hidden;
        ClipActivationInput(options.clip, row, hidden);
        options.Activation(step.direction, 0).Apply(row, hidden);
        std::copy_n(row, hidden, step.h + entry * hidden);
      }
    });
  };
  return RunRecurrent<C>(ctx, options, p, bias, /*with_cell_state=*/false, cell);
}

// RNN (ai.onnx 1, 7, 14, 22), with the activation f (Tanh by default):
//   Ht = f(Xt Wi^T + Ht-1 Ri^T + Wbi + Rbi)
// Open in the specification: a sequence of length 0 ends in a state of 0, as onnxruntime has it.
// Narrow floats are computed in float, and rounded only in the outputs.
absl::StatusOr<Kernel> Rnn(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(RecurrentOptions options, ReadRecurrentOptions(node, /*gates=*/1, {"Tanh"}));
  return FloatKernel(0, [options = std::move(options)]<typename C>(KernelContext& ctx) {
    return RunRnn<C>(ctx, options);
  });
}

}  // namespace

void RegisterRnn(OpRegistry& registry) { registry.Add(kOnnxDomain, "RNN", {1, 7, 14, 22}, Rnn); }

}  // namespace onnxcmp
