#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/causal_conv.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/packed_sequences.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kInput,
  kWeight,
  kOffsets,
  kBias,
  kInitialState,
  kCaptureCount,
  kKernelDelta,
  kPreviousMask
};

struct Options {
  CausalConvOptions conv;
  int64_t capacity = 0;
  bool dynamic = false;
  int64_t delta_offset = 0;
  int64_t group_size = 1;
};

absl::Status CheckInputShape(const KernelContext& ctx, int index, const Shape& want) {
  if (ctx.Input(index).shape() == want) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("input ", index, " is ",
                                                 ctx.Input(index).TypeString(), ", but must be [",
                                                 ShapeToString(want), "]"));
}

// The first tokens of every sequence, as many as are asked for; 0 after them.
absl::Status SetStateUpdate(KernelContext& ctx, const Options& options, const Tensor& x,
                            absl::Span<const int64_t> offsets) {
  const auto batch = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t channels = x.dim(1);
  std::vector<int64_t> counts;
  if (options.capacity > 0) {
    OC_RETURN_IF_ERROR(CheckInputShape(ctx, kCaptureCount, {batch}));
    OC_ASSIGN_OR_RETURN(counts, ctx.IntsInput(kCaptureCount));
  }
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

// A convolution with two taps for every token: y[t] = (w[1] + d[t, 0]) x[t] + m[t] (w[0] + d[t, 1])
// x[t - 1], d being the deltas of the channel's group. Every sum and product is rounded to the
// type.
template <typename C>
class DynamicTaps {
 public:
  absl::Status Load(const KernelContext& ctx, const Options& options, int64_t tokens,
                    int64_t channels, int64_t taps) {
    dtype_ = ctx.Input(kInput).dtype();
    first_ = options.delta_offset;
    group_size_ = options.group_size;
    const Tensor& delta = ctx.Input(kKernelDelta);
    if (taps != 2 || channels % options.group_size != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("kernel_delta needs two taps and whole groups of ", options.group_size,
                       " channels, but there are ", taps, " and ", channels));
    }
    projected_ = delta.rank() == 3 ? delta.dim(1) : 0;
    if (first_ > projected_ - 2) {
      return absl::InvalidArgumentError(absl::StrCat("kernel_delta is ", delta.TypeString(),
                                                     ", which lacks deltas ", first_, " and ",
                                                     first_ + 1));
    }
    OC_RETURN_IF_ERROR(
        CheckInputShape(ctx, kKernelDelta, {tokens, projected_, channels / options.group_size}));
    OC_RETURN_IF_ERROR(CheckInputShape(ctx, kPreviousMask, {tokens, 1}));
    OC_ASSIGN_OR_RETURN(delta_, LoadTensor<C>(ctx, delta));
    OC_ASSIGN_OR_RETURN(mask_, LoadTensor<C>(ctx, ctx.Input(kPreviousMask)));
    return absl::OkStatus();
  }

  // x has one element more than y, that before the first token.
  void Convolve(int64_t channel, int64_t first_token, int64_t length, const C* weights, const C* x,
                C* y) const {
    const int64_t groups = delta_.dim(2);
    for (int64_t t = 0; t < length; ++t) {
      const int64_t token = first_token + t;
      const C* deltas = delta_.template data<C>() + (token * projected_ + first_) * groups +
                        channel / group_size_;
      const C current = Rounded(Rounded(weights[1] + deltas[0]) * x[t + 1]);
      const C previous = Rounded(Rounded(weights[0] + deltas[groups]) * x[t]);
      y[t] = Rounded(current + Rounded(previous * mask_.template data<C>()[token]));
    }
  }

 private:
  C Rounded(C x) const {
    RoundElements(dtype_, 1, &x);
    return x;
  }

  DType dtype_ = DType::kUndefined;
  int64_t first_ = 0, group_size_ = 1, projected_ = 0;
  Tensor delta_, mask_;
};

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
  OC_RETURN_IF_ERROR(CheckInputShape(ctx, kInitialState, {batch, channels, kept}));
  Tensor bias;
  if (ctx.HasInput(kBias)) {
    OC_RETURN_IF_ERROR(CheckInputShape(ctx, kBias, {channels}));
    OC_ASSIGN_OR_RETURN(bias, LoadTensor<C>(ctx, ctx.Input(kBias)));
  }
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, input));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, weight));
  OC_ASSIGN_OR_RETURN(const Tensor past, LoadTensor<C>(ctx, ctx.Input(kInitialState)));
  DynamicTaps<C> dynamic;
  if (options.dynamic) OC_RETURN_IF_ERROR(dynamic.Load(ctx, options, x.dim(0), channels, taps));
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
    const C* weights = w.data<C>() + channel * taps;
    if (options.dynamic) {
      dynamic.Convolve(channel, first, length, weights, row.data(), result.data());
    } else {
      ConvolveChannel(options.conv, length, taps, weights,
                      bias.defined() ? bias.data<C>() + channel : nullptr, row.data(),
                      result.data());
    }
    for (int64_t t = 0; t < length; ++t) {
      outs[(first + t) * channels + channel] = result[static_cast<size_t>(t)];
    }
  });
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, input.dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(out)));
  OC_ASSIGN_OR_RETURN(state, StoreTensor<C>(ctx, state, input.dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(state)));
  return SetStateUpdate(ctx, options, input, offsets);
}

// VarlenCausalConvWithState (com.microsoft 1): CausalConvWithState of com.microsoft on sequences
// that lie in a row, (tokens, channels); cumulative_sequence_length parts them. With
// state_update_capacity, state_update has the first capture_count tokens of each sequence, and 0
// after them. kernel_delta and previous_mask change the two taps for every token (DynamicTaps),
// from delta_offset on and for groups of group_size channels.
absl::StatusOr<Kernel> VarlenCausalConvWithState(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const CausalConvOptions conv,
                      ReadCausalConvOptions(node, /*has_dilation=*/true));
  const Options options = {conv, node.Int("state_update_capacity"), node.HasInput(kKernelDelta),
                           node.Int("delta_offset"), node.Int("group_size")};
  if (options.dynamic != node.HasInput(kPreviousMask)) {
    return absl::InvalidArgumentError("kernel_delta and previous_mask come together or not");
  }
  if (options.dynamic && (conv.silu || conv.dilation != 1 || node.HasInput(kBias) ||
                          options.delta_offset < 0 || options.group_size < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel_delta goes with neither activation, dilation nor bias, delta_offset ",
                     options.delta_offset, " and group_size ", options.group_size));
  }
  if (options.capacity < 0 || options.capacity > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("state_update_capacity is ", options.capacity, ", not 0 to 8"));
  }
  if (node.HasInput(kCaptureCount) != (options.capacity > 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "capture_count goes with a state_update_capacity, which is ", options.capacity));
  }
  return FloatKernel(kInput,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribVarlenCausalConvWithState(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "VarlenCausalConvWithState", {1}, VarlenCausalConvWithState);
}

}  // namespace onnxcmp
