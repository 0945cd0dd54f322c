#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/causal_conv.h"
#include "ops/common/compute_class.h"
#include "ops/common/load_store.h"
#include "ops/common/packed_sequences.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeight, kOffsets, kBias, kInitialState, kCaptureCount };

struct Options {
  CausalConvOptions conv;
  int64_t capacity = 0;
};

absl::Status CheckShape(const KernelContext& ctx, int index, const Shape& want) {
  if (ctx.Input(index).shape() == want) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("input ", index, " is ",
                                                 ctx.Input(index).TypeString(), ", but must be [",
                                                 ShapeToString(want), "]"));
}

// The first tokens of every sequence, as many as are asked for; 0 behind them.
absl::Status SetStateUpdate(KernelContext& ctx, const Options& options, const Tensor& x,
                            absl::Span<const int64_t> offsets) {
  const auto batch = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t channels = x.dim(1);
  OC_RETURN_IF_ERROR(CheckShape(ctx, kCaptureCount, {batch}));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, ctx.IntsInput(kCaptureCount));
  if (!ctx.HasOutput(2)) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(Tensor update, ctx.Allocate(x.dtype(), {batch, options.capacity, channels}));
  std::byte* to = update.mutable_raw_data();
  const int64_t row = channels * BitWidth(x.dtype()) / 8;
  std::fill_n(to, update.byte_size(), std::byte{0});
  for (size_t b = 0; b < counts.size(); ++b) {
    const int64_t count =
        std::clamp<int64_t>(counts[b], 0, std::min(options.capacity, offsets[b + 1] - offsets[b]));
    std::copy_n(x.raw_data() + offsets[b] * row, count * row,
                to + static_cast<int64_t>(b) * options.capacity * row);
  }
  return ctx.SetOutput(2, std::move(update));
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Tensor input, ctx.ContiguousInput(kInput));
  const Tensor& weight = ctx.Input(kWeight);
  if (input.rank() != 2 || weight.rank() != 3 || weight.dim(0) != input.dim(1) ||
      weight.dim(1) != 1 || weight.dim(2) < 1) {
    return absl::InvalidArgumentError(absl::StrCat("input ", input.TypeString(), " and weight ",
                                                   weight.TypeString(),
                                                   " are not (tokens, C) and (C, 1, K)"));
  }
  const int64_t channels = input.dim(1);
  const int64_t taps = weight.dim(2);
  OC_ASSIGN_OR_RETURN(const int64_t kept, CarriedPositions(taps, options.conv));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets,
                      SequenceOffsets(ctx, kOffsets, input.dim(0), /*some_tokens=*/true));
  const auto batch = static_cast<int64_t>(offsets.size()) - 1;
  OC_RETURN_IF_ERROR(CheckShape(ctx, kInitialState, {batch, channels, kept}));
  Tensor bias;
  if (ctx.HasInput(kBias)) {
    OC_RETURN_IF_ERROR(CheckShape(ctx, kBias, {channels}));
    OC_ASSIGN_OR_RETURN(bias, LoadTensor<C>(ctx, ctx.Input(kBias)));
  }
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, input));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, weight));
  OC_ASSIGN_OR_RETURN(const Tensor past, LoadTensor<C>(ctx, ctx.Input(kInitialState)));
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<C>, x.shape()));
  OC_ASSIGN_OR_RETURN(Tensor state, ctx.Allocate(kDTypeOf<C>, past.shape()));
  C* outs = out.template mutable_data<C>();
  C* states = state.template mutable_data<C>();
  ctx.pool().ParallelFor(x.num_elements() == 0 ? 0 : batch * channels, [&](int64_t lane) {
    const int64_t channel = lane % channels;
    const int64_t first = offsets[static_cast<size_t>(lane / channels)];
    const int64_t length = offsets[static_cast<size_t>(lane / channels) + 1] - first;
    std::vector<C> row(static_cast<size_t>(kept + length));
    std::vector<C> result(static_cast<size_t>(length));
    std::copy_n(past.data<C>() + lane * kept, kept, row.data());
    for (int64_t t = 0; t < length; ++t) {
      row[static_cast<size_t>(kept + t)] = x.data<C>()[(first + t) * channels + channel];
    }
    std::copy_n(row.data() + length, kept, states + lane * kept);
    ConvolveChannel(options.conv, length, taps, w.data<C>() + channel * taps,
                    bias.defined() ? bias.data<C>() + channel : nullptr, row.data(), result.data());
    for (int64_t t = 0; t < length; ++t) {
      outs[(first + t) * channels + channel] = result[static_cast<size_t>(t)];
    }
  });
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, input.dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(out)));
  OC_ASSIGN_OR_RETURN(state, StoreTensor<C>(ctx, state, input.dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(state)));
  return options.capacity > 0 ? SetStateUpdate(ctx, options, input, offsets) : absl::OkStatus();
}

// VarlenCausalConvWithState (com.microsoft 1): CausalConvWithState of com.microsoft on sequences
// that lie behind each other, (tokens, channels); cumulative_sequence_length parts them. With
// state_update_capacity, state_update has the first capture_count tokens of each sequence, and 0
// behind them.
Kernel VarlenCausalConvWithState(const KernelInit& node) {
  const absl::StatusOr<CausalConvOptions> conv = ReadCausalConvOptions(node, /*has_dilation=*/true);
  if (!conv.ok()) return node.Fail(conv.status());
  const Options options = {*conv, node.Int("state_update_capacity")};
  if (options.capacity < 0 || options.capacity > 8) {
    return node.Fail(absl::InvalidArgumentError(
        absl::StrCat("state_update_capacity is ", options.capacity, ", not 0 to 8")));
  }
  if (node.HasInput(kCaptureCount) != (options.capacity > 0) ||
      (node.HasOutput(2) && options.capacity == 0)) {
    return node.Fail(absl::InvalidArgumentError(
        absl::StrCat("capture_count and state_update go with a state_update_capacity, which is ",
                     options.capacity)));
  }
  return [options](KernelContext& ctx) {
    return DispatchFloat(ctx.Input(kInput).dtype(),
                         [&]<typename C>() { return Run<C>(ctx, options); });
  };
}

}  // namespace

void RegisterContribVarlenCausalConvWithState(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "VarlenCausalConvWithState", {1}, VarlenCausalConvWithState);
}

}  // namespace onnxcmp
