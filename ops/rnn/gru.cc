#include <vector>

#include <Eigen/Core>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/products/gemm.h"
#include "ops/common/recurrent/recurrent.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status RunGru(KernelContext& ctx, const RecurrentOptions& options, bool linear_before_reset) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(RecurrentParameters<C> p, LoadRecurrentParameters<C>(ctx, options));
  const int64_t hidden = p.hidden;
  const int64_t columns = 3 * hidden;
  // The factor of the hidden gate's matrix, or with linear_before_reset their product.
  OC_ASSIGN_OR_RETURN(Tensor scratch,
                      ctx.Allocate(kDTypeOf<C>, {options.directions, p.batch, hidden}));
  C* scratch_data = scratch.mutable_data<C>();
  std::vector<C> bias;
  for (int d = 0; d < options.directions; ++d) {
    for (int64_t i = 0; i < columns; ++i) {
      const bool of_reset_part = linear_before_reset && i >= 2 * hidden;
      bias.push_back(p.Wb(d)[i] + (of_reset_part ? C{0} : p.Rb(d)[i]));
    }
  }
  auto cell = [&](const RecurrentStep<C>& step) {
    const int d = step.direction;
    C* work = scratch_data + d * p.batch * hidden;
    const int64_t grain = LaneGrain(columns, 16);
    auto activate = [&](int i, C* row) {
      ClipActivationInput(options.clip, row, hidden);
      options.Activation(d, i).Apply(row, hidden);
    };
    Gemm<C>(ctx.pool(), {p.batch, 2 * hidden, hidden}, {step.h_previous, hidden, 1},
            p.RTransposed(d), {step.gates, columns, 0, {}, true});
    if (linear_before_reset) {
      Gemm<C>(ctx.pool(), {p.batch, hidden, hidden}, {step.h_previous, hidden, 1},
              p.RTransposed(d, 2), {work, hidden});
    }
    ctx.pool().ParallelRanges(p.batch, grain, [&](int64_t begin, int64_t end) {
      for (int64_t entry = begin; entry < end; ++entry) {
        C* update = step.gates + entry * columns;
        C* reset = update + hidden;
        Row candidate(reset + hidden, hidden);
        Row row(work + entry * hidden, hidden);
        activate(0, update);
        activate(0, reset);
        if (linear_before_reset) {
          candidate += Row(reset, hidden) * (row + ConstRow(p.Rb(d) + 2 * hidden, hidden));
        } else {
          row = Row(reset, hidden) * ConstRow(step.h_previous + entry * hidden, hidden);
        }
      }
    });
    if (!linear_before_reset) {
      Gemm<C>(ctx.pool(), {p.batch, hidden, hidden}, {work, hidden, 1}, p.RTransposed(d, 2),
              {step.gates + 2 * hidden, columns, 0, {}, true});
    }
    ctx.pool().ParallelRanges(p.batch, grain, [&](int64_t begin, int64_t end) {
      for (int64_t entry = begin; entry < end; ++entry) {
        Row update(step.gates + entry * columns, hidden);
        Row candidate(update.data() + 2 * hidden, hidden);
        activate(1, candidate.data());
        Row(step.h + entry * hidden, hidden) =
            (C{1} - update) * candidate +
            update * ConstRow(step.h_previous + entry * hidden, hidden);
      }
    });
  };
  return RunRecurrent<C>(ctx, options, p, bias, /*with_cell_state=*/false, cell);
}

// GRU (ai.onnx 1, 3, 7, 14, 22), with activations f, g (Sigmoid, Tanh by default):
//   zt = f(Xt Wz^T + Ht-1 Rz^T + Wbz + Rbz)
//   rt = f(Xt Wr^T + Ht-1 Rr^T + Wbr + Rbr)
//   ht = g(Xt Wh^T + (rt * Ht-1) Rh^T + Rbh + Wbh), or with linear_before_reset (from 3 on)
//   ht = g(Xt Wh^T + rt * (Ht-1 Rh^T + Rbh) + Wbh)
//   Ht = (1 - zt) * ht + zt * Ht-1
// Open in the specification: a sequence of length 0 ends in a state of 0, as onnxruntime has it.
// Narrow floats are computed in float, and rounded only in the outputs.
absl::StatusOr<Kernel> Gru(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(RecurrentOptions options,
                      ReadRecurrentOptions(node, /*gates=*/3, {"Sigmoid", "Tanh"}));
  const bool linear_before_reset = node.version() >= 3 && node.Flag("linear_before_reset");
  return FloatKernel(
      0, [options = std::move(options), linear_before_reset]<typename C>(KernelContext& ctx) {
        return RunGru<C>(ctx, options, linear_before_reset);
      });
}

}  // namespace

void RegisterGru(OpRegistry& registry) { registry.Add(kOnnxDomain, "GRU", {1, 3, 7, 14, 22}, Gru); }

}  // namespace onnxcmp
