#include "ops/common/recurrent/lstm.h"

#include <utility>
#include <vector>

#include <Eigen/Core>

#include "ops/common/products/gemm.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {

absl::StatusOr<LstmOptions> ReadLstmOptions(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(RecurrentOptions common,
                      ReadRecurrentOptions(node, /*gates=*/4, {"Sigmoid", "Tanh", "Tanh"}));
  LstmOptions options;
  static_cast<RecurrentOptions&>(options) = std::move(common);
  options.input_forget = node.Flag("input_forget");
  return options;
}

template <typename C>
absl::Status RunLstm(KernelContext& ctx, const LstmOptions& options,
                     const RecurrentParameters<C>& p, RecurrentFactor<C> factor) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
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
    const int64_t depth = p.r.dim(2);
    Gemm<C>(ctx.pool(), {p.batch, columns, depth}, {factor(step), depth, 1}, p.RTransposed(d),
            {step.gates, columns, 0, {}, true});
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
        if (options.input_forget) {
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

template absl::Status RunLstm<float>(KernelContext&, const LstmOptions&,
                                     const RecurrentParameters<float>&, RecurrentFactor<float>);
template absl::Status RunLstm<double>(KernelContext&, const LstmOptions&,
                                      const RecurrentParameters<double>&, RecurrentFactor<double>);

}  // namespace onnxcmp
