#include "ops/common/convolution/causal_conv.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeight, kBias, kPastState };

struct Options {
  CausalConvOptions conv;
  bool channels_last = false;
  int64_t window = 0;  // states kept; 0: the last one, without an axis of its own
  // Options that com.microsoft has for (N, L, C) with channels last.
  int64_t first_channel = 0;
  int64_t input_channels = 0;  // from first_channel on; 0: all
  bool state_channels_last = false;
  int64_t state_length = 0;  // positions that states hold; 0: what the convolution needs
  int64_t capacity = 0;      // positions of state_update
  bool sliced() const {
    return first_channel != 0 || input_channels != 0 || state_channels_last != channels_last ||
           state_length != 0 || capacity != 0;
  }
};

// A dense tensor of `length` positions of each channel, either of which lies innermost.
struct Layout {
  int64_t channels;
  int64_t length;
  bool channels_last;

  int64_t step() const { return channels_last ? channels : 1; }
  // The first position of a lane, batch * channels + channel.
  int64_t Begin(int64_t lane) const {
    return channels_last ? lane / channels * length * channels + lane % channels : lane * length;
  }
};

struct Sizes {
  int64_t batch = 0, channels = 0, length = 0, taps = 0;
  int64_t width = 0;   // channels that the input has
  int64_t needed = 0;  // positions before the first that the convolution reads
  int64_t kept = 0;    // those that states hold
  Shape output, state;
};

absl::StatusOr<Sizes> CheckShapes(const KernelContext& ctx, const Options& options) {
  const Tensor& x = ctx.Input(kInput);
  const Tensor& w = ctx.Input(kWeight);
  Sizes sizes;
  const bool has_rank = options.channels_last ? x.rank() >= 3 : x.rank() == 3;
  if (has_rank) {
    const absl::Span<const int64_t> dims = x.shape();
    sizes.batch = dims[0];
    sizes.length = options.channels_last ? dims[1] : dims[2];
    sizes.channels = options.channels_last ? *NumElements(dims.subspan(2)) : dims[1];
  }
  sizes.width = sizes.channels;
  if (has_rank && options.sliced()) {
    if (options.input_channels != 0) sizes.channels = options.input_channels;
    if (x.rank() != 3 || sizes.channels > sizes.width - options.first_channel) {
      return absl::InvalidArgumentError(
          absl::StrCat("input is ", x.TypeString(), ", not (N, L, C) with ", sizes.channels,
                       " channels from ", options.first_channel, " on"));
    }
  }
  if (!has_rank || w.rank() != 3 || w.dim(0) != sizes.channels || w.dim(1) != 1 || w.dim(2) < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", x.TypeString(), " and weight ", w.TypeString(), " are not ",
                     options.channels_last ? "(N, L, C)" : "(N, C, L)", " and (C, 1, K)"));
  }
  sizes.taps = w.dim(2);
  OC_ASSIGN_OR_RETURN(sizes.needed, CarriedPositions(sizes.taps, options.conv));
  sizes.kept = options.state_length == 0 ? sizes.needed : options.state_length;
  if (sizes.kept < sizes.needed) {
    return absl::InvalidArgumentError(absl::StrCat("state_length is ", sizes.kept, ", but ",
                                                   sizes.needed, " positions are needed"));
  }
  if (ctx.HasInput(kBias) && ctx.Input(kBias).shape() != Shape{sizes.channels}) {
    return absl::InvalidArgumentError(absl::StrCat("bias ", ctx.Input(kBias).TypeString(),
                                                   " does not fit ", sizes.channels, " channels"));
  }
  sizes.output = x.shape();
  if (options.sliced()) {
    sizes.output.back() = sizes.channels;
    sizes.state = options.state_channels_last ? Shape{sizes.batch, sizes.kept, sizes.channels}
                                              : Shape{sizes.batch, sizes.channels, sizes.kept};
  } else {
    sizes.state = x.shape();
    sizes.state[options.channels_last ? 1 : 2] = sizes.kept;
  }
  if (options.window > 0) sizes.state.insert(sizes.state.begin(), options.window);
  if (ctx.HasInput(kPastState)) {
    OC_RETURN_IF_ERROR(CheckShape("past_state", ctx.Input(kPastState), sizes.state));
  }
  return sizes;
}

// The first positions of the input, as many as are to be had, then 0.
absl::Status EmitStateUpdate(KernelContext& ctx, const Options& options, const Sizes& sizes) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(kInput));
  OC_ASSIGN_OR_RETURN(Tensor update,
                      ctx.Allocate(x.dtype(), {sizes.batch, options.capacity, sizes.channels}));
  const int64_t size = BitWidth(x.dtype()) / 8;
  std::byte* to = update.mutable_raw_data();
  std::fill_n(to, update.byte_size(), std::byte{0});
  const int64_t count = std::min(sizes.length, options.capacity);
  for (int64_t i = 0; i < (sizes.channels == 0 ? 0 : sizes.batch * count); ++i) {
    const int64_t b = i / count;
    const int64_t t = i % count;
    std::copy_n(
        x.raw_data() + ((b * sizes.length + t) * sizes.width + options.first_channel) * size,
        sizes.channels * size, to + (b * options.capacity + t) * sizes.channels * size);
  }
  return ctx.SetOutput(2, std::move(update));
}

// Leaves the tensor undefined if the input is left out.
template <typename C>
absl::Status LoadIfGiven(const KernelContext& ctx, int index, Tensor* tensor) {
  if (!ctx.HasInput(index)) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(*tensor, LoadTensor<C>(ctx, ctx.Input(index)));
  return absl::OkStatus();
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Sizes sizes, CheckShapes(ctx, options));
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(kInput)));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, ctx.Input(kWeight)));
  Tensor bias;
  Tensor past;
  OC_RETURN_IF_ERROR(LoadIfGiven<C>(ctx, kBias, &bias));
  OC_RETURN_IF_ERROR(LoadIfGiven<C>(ctx, kPastState, &past));
  const int64_t length = sizes.length;
  const int64_t kept = sizes.kept;
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<C>, sizes.output));
  OC_ASSIGN_OR_RETURN(Tensor state, ctx.Allocate(kDTypeOf<C>, sizes.state));
  C* outs = out.template mutable_data<C>();
  C* states = state.template mutable_data<C>();
  const Layout data = {sizes.channels, length, options.channels_last};
  const Layout given = {sizes.width, length, options.channels_last};
  const Layout carried = {sizes.channels, kept, options.state_channels_last};
  const int64_t slots = std::max<int64_t>(options.window, 1);
  const int64_t slot_size = state.num_elements() / slots;
  // Without elements there may be any number of rows.
  const bool empty = out.num_elements() == 0 && state.num_elements() == 0;
  ctx.pool().ParallelFor(empty ? 0 : sizes.batch * sizes.channels, [&](int64_t lane) {
    std::vector<C> row(static_cast<size_t>(kept + length), C{0});
    std::vector<C> result(static_cast<size_t>(length));
    const int64_t channel = lane % sizes.channels;
    const int64_t first = data.Begin(lane);
    const int64_t given_first =
        given.Begin(lane / sizes.channels * sizes.width + options.first_channel + channel);
    const int64_t state_first = carried.Begin(lane);
    if (past.defined()) {
      const C* from = past.data<C>() + (slots - 1) * slot_size + state_first;
      for (int64_t i = 0; i < kept; ++i) row[static_cast<size_t>(i)] = from[i * carried.step()];
    }
    for (int64_t i = 0; i < length; ++i) {
      row[static_cast<size_t>(kept + i)] = x.data<C>()[given_first + i * given.step()];
    }
    // The state after `seen` positions is what lies in the row after them. States of a window that
    // would be of an earlier call are 0.
    for (int64_t j = 0; j < slots; ++j) {
      C* to = states + j * slot_size + state_first;
      const int64_t seen = length - slots + 1 + j;
      const bool of_this_call = seen >= 1 || options.window == 0;
      for (int64_t i = 0; i < kept; ++i) {
        to[i * carried.step()] = of_this_call ? row[static_cast<size_t>(seen + i)] : C{0};
      }
    }
    ConvolveChannel(options.conv, length, sizes.taps, w.data<C>() + channel * sizes.taps,
                    bias.defined() ? bias.data<C>() + channel : nullptr,
                    row.data() + kept - sizes.needed, result.data());
    for (int64_t i = 0; i < length; ++i) {
      outs[first + i * data.step()] = result[static_cast<size_t>(i)];
    }
  });
  const DType dtype = ctx.Input(kInput).dtype();
  OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<C>(ctx, out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  OC_ASSIGN_OR_RETURN(Tensor present, StoreTensor<C>(ctx, state, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(present)));
  return options.capacity > 0 ? EmitStateUpdate(ctx, options, sizes) : absl::OkStatus();
}

// The attributes of (N, L, C) with channels last, which go with neither another layout nor a
// window.
absl::Status ReadSliceOptions(const KernelInit& node, Options* options) {
  options->first_channel = node.Int("input_channel_offset");
  options->input_channels = node.Int("input_channels");
  options->state_length = node.Int("state_length");
  options->capacity = node.Int("state_update_capacity");
  const int64_t layout = node.Int("state_channels_last");
  options->state_channels_last = layout == -1 ? options->channels_last : layout == 1;
  if (layout < -1 || layout > 1 || options->first_channel < 0 || options->input_channels < 0 ||
      options->state_length < 0 || options->capacity < 0 || options->capacity > 8) {
    return absl::InvalidArgumentError(absl::StrCat(
        "state_channels_last ", layout, ", input_channel_offset ", options->first_channel,
        ", input_channels ", options->input_channels, ", state_length ", options->state_length,
        " or state_update_capacity ", options->capacity, " is out of range"));
  }
  if (options->sliced() && (!options->channels_last || options->window != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_channels, input_channel_offset, state_length, state_channels_last and ",
                     "state_update_capacity need channels_last 1 and state_window 0, not ",
                     options->channels_last ? 1 : 0, " and ", options->window));
  }
  if (node.HasOutput(2) && options->capacity == 0) {
    return absl::InvalidArgumentError("state_update is wanted, but state_update_capacity is 0");
  }
  return absl::OkStatus();
}

absl::StatusOr<Options> ReadOptions(const KernelInit& node, bool extended) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.conv, ReadCausalConvOptions(node, extended));
  if (!extended) return options;
  options.channels_last = node.Flag("channels_last");
  options.window = node.Int("state_window");
  const int64_t ndim = node.Int("ndim");
  if (options.window < 0 || options.window > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("state_window is ", options.window, ", not 0 to 8"));
  }
  if (ndim < 1 || ndim > 3) {
    return absl::InvalidArgumentError(absl::StrCat("ndim is ", ndim, ", not 1 to 3"));
  }
  if (ndim > 1) {
    return absl::UnimplementedError(absl::StrCat(
        "ndim is ", ndim, ": how the axes beside the causal one are padded is not documented"));
  }
  OC_RETURN_IF_ERROR(ReadSliceOptions(node, &options));
  return options;
}

}  // namespace

absl::StatusOr<CausalConvOptions> ReadCausalConvOptions(const KernelInit& node, bool has_dilation) {
  CausalConvOptions options;
  const std::string activation = node.String("activation");
  options.silu = activation == "silu" || activation == "swish";
  if (!options.silu && activation != "none") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation \"", activation, "\" is none of silu, swish and none"));
  }
  if (has_dilation) options.dilation = node.Int("dilation");
  if (options.dilation < 1) {
    return absl::InvalidArgumentError(absl::StrCat("dilation is ", options.dilation));
  }
  return options;
}

absl::StatusOr<int64_t> CarriedPositions(int64_t taps, const CausalConvOptions& options) {
  const std::optional<int64_t> kept = NumElements(Shape{taps - 1, options.dilation});
  if (kept.has_value()) return *kept;
  return absl::InvalidArgumentError(
      absl::StrCat("dilation ", options.dilation, " is too large for a kernel of ", taps));
}

template <typename C>
void ConvolveChannel(const CausalConvOptions& options, int64_t length, int64_t taps,
                     const C* weights, const C* bias, C* x, C* y) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  Row sum(y, length);
  sum.setZero();
  for (int64_t j = 0; j < taps; ++j) sum += weights[j] * Row(x + j * options.dilation, length);
  if (bias != nullptr) sum += *bias;
  if (options.silu) {
    vec::Sigmoid(y, length, x);
    sum *= Row(x, length);
  }
}

absl::StatusOr<Kernel> CausalConvKernel(const KernelInit& node, bool extended) {
  OC_ASSIGN_OR_RETURN(const Options options, ReadOptions(node, extended));
  return FloatKernel(kInput,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

template void ConvolveChannel(const CausalConvOptions&, int64_t, int64_t, const float*,
                              const float*, float*, float*);
template void ConvolveChannel(const CausalConvOptions&, int64_t, int64_t, const double*,
                              const double*, double*, double*);

}  // namespace onnxcmp
