#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/quantized/dynamic_quantization.h"
#include "ops/common/recurrent/lstm.h"

namespace onnxcmp {
namespace {

enum Inputs { kW = 1, kR = 2, kWScale = 8, kWZero, kRScale, kRZero };

// The real values of weights (directions, rows, columns), transposed to (directions, columns,
// rows); scale and zero point are numbers of a direction or of its columns.
template <typename C>
absl::StatusOr<Tensor> RealWeights(const KernelContext& ctx, int index, int scale_index,
                                   int zero_index, absl::Span<const int64_t> shape) {
  OC_ASSIGN_OR_RETURN(const Tensor values,
                      LoadParameter<C>(ctx, index, index == kW ? "W" : "R", shape));
  const int64_t rows = shape[1];
  const int64_t columns = shape[2];
  // One number for each column of each direction.
  const auto parameters = [&](int input) -> absl::StatusOr<std::vector<C>> {
    OC_ASSIGN_OR_RETURN(const Tensor given, LoadTensor<C>(ctx, ctx.Input(input)));
    const bool per_column = given.shape() == Shape{shape[0], columns};
    if (!per_column && given.shape() != Shape{shape[0]}) {
      return absl::InvalidArgumentError(absl::StrCat("input ", input, " is ", given.TypeString(),
                                                     ", neither [", shape[0], "] nor [", shape[0],
                                                     ", ", columns, "]"));
    }
    std::vector<C> numbers;
    for (int64_t i = 0; i < shape[0] * columns; ++i) {
      numbers.push_back(given.data<C>()[per_column ? i : i / columns]);
    }
    return numbers;
  };
  OC_ASSIGN_OR_RETURN(const std::vector<C> scales, parameters(scale_index));
  OC_ASSIGN_OR_RETURN(const std::vector<C> zeros, parameters(zero_index));
  OC_ASSIGN_OR_RETURN(Tensor real, ctx.Allocate(kDTypeOf<C>, {shape[0], columns, rows}));
  C* to = real.mutable_data<C>();
  for (size_t line = 0; line < scales.size(); ++line) {
    const auto column = static_cast<int64_t>(line);
    const C* from = values.data<C>() + column / columns * rows * columns + column % columns;
    for (int64_t i = 0; i < rows; ++i) *to++ = (from[i * columns] - zeros[line]) * scales[line];
  }
  return real;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const LstmOptions& options) {
  if (ctx.Input(kR).rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("R must have rank 3, not ", ctx.Input(kR).TypeString()));
  }
  OC_ASSIGN_OR_RETURN(RecurrentParameters<C> p,
                      LoadSequences<C>(ctx, options, ctx.Input(kR).dim(1)));
  const int64_t directions = options.directions;
  const int64_t columns = options.gates * p.hidden;
  OC_ASSIGN_OR_RETURN(
      p.w, RealWeights<C>(ctx, kW, kWScale, kWZero, {directions, p.input_size, columns}));
  OC_ASSIGN_OR_RETURN(p.r,
                      RealWeights<C>(ctx, kR, kRScale, kRZero, {directions, p.hidden, columns}));
  OC_ASSIGN_OR_RETURN(Tensor x, ctx.Allocate(kDTypeOf<C>, p.x.shape()));
  RoundToBytes(p.x.template data<C>(), x.num_elements(), x.mutable_data<C>());
  p.x = std::move(x);

  const int64_t states = p.batch * p.hidden;
  OC_ASSIGN_OR_RETURN(Tensor rounded, ctx.Allocate(kDTypeOf<C>, {directions, states}));
  C* rounded_data = rounded.mutable_data<C>();
  return RunLstm<C>(ctx, options, p, [&](const RecurrentStep<C>& step) {
    C* h = rounded_data + step.direction * states;
    RoundToBytes(step.h_previous, states, h);
    return static_cast<const C*>(h);
  });
}

// DynamicQuantizeLSTM (com.microsoft 1): LSTM of ai.onnx with quantized weights, W (directions,
// input_size, 4 * hidden) and R (directions, hidden, 4 * hidden), and with X and, anew at every
// step, H of the whole batch quantized to uint8 by their ranges. Computed with the real values that
// stand for the quantized ones.
absl::StatusOr<Kernel> DynamicQuantizeLstm(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(LstmOptions options, ReadLstmOptions(node));
  return FloatKernel(0, [options = std::move(options)]<typename C>(KernelContext& ctx) {
    return Run<C>(ctx, options);
  });
}

}  // namespace

void RegisterContribDynamicQuantizeLstm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DynamicQuantizeLSTM", {1}, DynamicQuantizeLstm);
}

}  // namespace onnxcmp
