#include <vector>

#include <Eigen/Core>

#include "evaluator/op_registry.h"
#include "ops/common/compute_class.h"
#include "ops/common/gemm.h"
#include "ops/common/lanes.h"
#include "ops/common/recurrent.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status RunLstm(KernelContext& ctx, const RecurrentOptions& options, bool input_forget) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(RecurrentParameters<C> p, LoadRecurrentParameters<C>(ctx, options));
  const int64_t hidden = p.hidden;
  const int64_t columns = 4 * hidden;
  Tensor peepholes;  // (directions, 3 * hidden), i, o, f
  if (ctx.HasInput(7)) {
    OC_ASSIGN_OR_RETURN(peepholes, LoadParameter<C>(ctx, 7, "P", {options.directions, 3 * hidden}));
  }
  std::vector<C> bias;
  for (int d = 0; d < options.directions; ++d) {
    for (int64_t i = 0; i < columns; ++i) {
      bias.push_back(p.Wb(d)[i] + p.Rb(d)[i]);
    }
  }
  auto cell = [&](const RecurrentStep<C>& step) {
    const int d = step.direction;
    Gemm<C>(ctx.pool(), {p.batch, columns, hidden}, {step.h_previous, hidden, 1},
            {p.R(d), 1, hidden}, {step.gates, columns, 0, {}, true});
    auto activate = [&](int i, C* row) {
      ClipActivationInput(options.clip, row, hidden);
      options.Activation(d, i).Apply(row, hidden);
    };
    const C* peephole = peepholes.defined() ? peepholes.data<C>() + d * 3 * hidden : nullptr;
    auto add_peephole = [&](int i, const C* state, C* row) {
      if (peephole != nullptr) {
        Row(row, hidden) += ConstRow(peephole + i * hidden, hidden) * ConstRow(state, hidden);
      }
    };
    ctx.pool().ParallelRanges(p.batch, LaneGrain(columns, 16), [&](int64_t begin, int64_t end) {
      for (int64_t entry = begin; entry < end; ++entry) {
        C* input = step.gates + entry * columns;
        C* output = input + hidden;
        C* forget = output + hidden;
        C* candidate = forget + hidden;
        const C* c_previous = step.c_previous + entry * hidden;
        Row c(step.c + entry * hidden, hidden);
        Row h(step.h + entry * hidden, hidden);
        add_peephole(0, c_previous, input);
        activate(0, input);
        if (input_forget) {
          Row(forget, hidden) = C{1} - Row(input, hidden);
        } else {
          add_peephole(2, c_previous, forget);
          activate(0, forget);
        }
        activate(1, candidate);
        c = Row(forget, hidden) * ConstRow(c_previous, hidden) +
            Row(input, hidden) * Row(candidate, hidden);
        add_peephole(1, c.data(), output);
        activate(0, output);
        h = c;
        options.Activation(d, 2).Apply(h.data(), hidden);  // the cell is not clipped
        h *= Row(output, hidden);
      }
    });
  };
  return RunRecurrent<C>(ctx, options, p, bias, /*with_cell_state=*/true, cell);
}

// LSTM (ai.onnx 1, 7, 14, 22), with activations f, g, h (Sigmoid, Tanh, Tanh by default):
//   it = f(Xt Wi^T + Ht-1 Ri^T + Pi * Ct-1 + Wbi + Rbi)
//   ft = f(Xt Wf^T + Ht-1 Rf^T + Pf * Ct-1 + Wbf + Rbf), or 1 - it with input_forget
//   ct = g(Xt Wc^T + Ht-1 Rc^T + Wbc + Rbc)
//   Ct = ft * Ct-1 + it * ct
//   ot = f(Xt Wo^T + Ht-1 Ro^T + Po * Ct + Wbo + Rbo)
//   Ht = ot * h(Ct)
// Open in the specification: clip bounds the arguments of f and g, not the cell that h is applied
// to, and a sequence of length 0 ends in states of 0; both as onnxruntime has it. Narrow floats are
// computed in float, and rounded only in the outputs.
Kernel Lstm(const KernelInit& node) {
  absl::StatusOr<RecurrentOptions> options =
      ReadRecurrentOptions(node, /*gates=*/4, {"Sigmoid", "Tanh", "Tanh"});
  if (!options.ok()) {
    return node.Fail(options.status());
  }
  const bool input_forget = node.Flag("input_forget");
  return [options = *std::move(options), input_forget](KernelContext& ctx) {
    return DispatchFloat(ctx.Input(0).dtype(),
                         [&]<typename C>() { return RunLstm<C>(ctx, options, input_forget); });
  };
}

}  // namespace

void RegisterLstm(OpRegistry& registry) { registry.Add(kOnnxDomain, "LSTM", {1, 7, 14, 22}, Lstm); }

}  // namespace onnxcmp
