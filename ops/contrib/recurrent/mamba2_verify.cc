#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

enum InputIndex : int {
  kProjection,
  kConvState,
  kSsmState,
  kConvWeight,
  kConvBias,
  kTimeBias,
  kDecay,
  kSkip,
  kNorm,
  kStateRow
};
enum OutputIndex : int { kY, kConvSnapshots, kSsmSnapshots, kXbc, kReadout };

constexpr int64_t kTaps = 4;
constexpr int64_t kCarried = kTaps - 1;

struct Options {
  int64_t heads = 0, groups = 0, head_dim = 0, states = 0;
  float epsilon = 0, least_step = 0;

  int64_t inner() const { return heads * head_dim; }
  int64_t channels() const { return inner() + 2 * groups * states; }
  int64_t width() const { return inner() + channels() + heads; }
};

// All inputs as floats, and what becomes of them.
struct Mamba {
  Tensor projection, conv_weight, conv_bias, time_bias, decay, skip, norm;
  Tensor conv_snapshots, ssm_snapshots;
  Tensor y, xbc, readout;
  int64_t rows = 0, slots = 0;
};

absl::StatusOr<Mamba> LoadMamba(const KernelContext& ctx, const Options& options) {
  Mamba m;
  const Tensor& projection = ctx.Input(kProjection);
  m.rows = projection.rank() == 2 ? projection.dim(0) : 0;
  m.slots = ctx.Input(kConvState).rank() == 3 ? ctx.Input(kConvState).dim(0) : 0;
  if (m.rows < 1 || m.slots < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("projection is ", projection.TypeString(), " and conv_state ",
                     ctx.Input(kConvState).TypeString(), ", which lack rows or slots"));
  }
  const int64_t channels = options.channels();
  OC_RETURN_IF_ERROR(CheckShape("projection", projection, {m.rows, options.width()}));
  OC_RETURN_IF_ERROR(
      CheckShape("conv_state", ctx.Input(kConvState), {m.slots, channels, kCarried}));
  OC_RETURN_IF_ERROR(CheckShape("ssm_state", ctx.Input(kSsmState),
                                {m.slots, options.heads, options.states, options.head_dim}));
  if (ctx.Input(kConvWeight).shape() != Shape{channels, 1, kTaps}) {
    OC_RETURN_IF_ERROR(CheckShape("conv_weight", ctx.Input(kConvWeight), {channels, kTaps}));
  }
  OC_RETURN_IF_ERROR(CheckShape("conv_bias", ctx.Input(kConvBias), {channels}));
  OC_RETURN_IF_ERROR(CheckShape("dt_bias", ctx.Input(kTimeBias), {options.heads}));
  OC_RETURN_IF_ERROR(CheckShape("A_negative", ctx.Input(kDecay), {options.heads}));
  OC_RETURN_IF_ERROR(CheckShape("D", ctx.Input(kSkip), {options.heads}));
  OC_RETURN_IF_ERROR(CheckShape("norm_weight", ctx.Input(kNorm), {options.inner()}));
  OC_ASSIGN_OR_RETURN(m.projection, LoadTensor<float>(ctx, projection));
  OC_ASSIGN_OR_RETURN(m.conv_weight, LoadTensor<float>(ctx, ctx.Input(kConvWeight)));
  OC_ASSIGN_OR_RETURN(m.conv_bias, LoadTensor<float>(ctx, ctx.Input(kConvBias)));
  OC_ASSIGN_OR_RETURN(m.time_bias, LoadTensor<float>(ctx, ctx.Input(kTimeBias)));
  OC_ASSIGN_OR_RETURN(m.decay, LoadTensor<float>(ctx, ctx.Input(kDecay)));
  OC_ASSIGN_OR_RETURN(m.skip, LoadTensor<float>(ctx, ctx.Input(kSkip)));
  OC_ASSIGN_OR_RETURN(m.norm, LoadTensor<float>(ctx, ctx.Input(kNorm)));
  const auto copy_of = [&](int index) -> absl::StatusOr<Tensor> {
    OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<float>(ctx, ctx.Input(index)));
    OC_ASSIGN_OR_RETURN(Tensor copy, ctx.Allocate(DType::kFloat, loaded.shape()));
    std::copy_n(loaded.data<float>(), loaded.num_elements(), copy.mutable_data<float>());
    return copy;
  };
  OC_ASSIGN_OR_RETURN(m.conv_snapshots, copy_of(kConvState));
  OC_ASSIGN_OR_RETURN(m.ssm_snapshots, copy_of(kSsmState));
  OC_ASSIGN_OR_RETURN(m.xbc, ctx.Allocate(DType::kFloat, {m.rows, channels}));
  OC_ASSIGN_OR_RETURN(m.readout, ctx.Allocate(DType::kFloat, {m.rows, options.inner()}));
  OC_ASSIGN_OR_RETURN(m.y, ctx.Allocate(DType::kFloat, {m.rows, options.inner()}));
  return m;
}

// The slot that the state after row `row` goes to; -1: none.
int64_t SlotOf(const Mamba& m, int64_t row) { return row - std::max<int64_t>(m.rows - m.slots, 0); }

// xbc = silu(conv + bias), rounded to bfloat16, for one channel of all rows.
void ConvolveRows(const Options& options, int64_t channel, int64_t from_slot, Mamba* m) {
  const int64_t channels = options.channels();
  float* states = m->conv_snapshots.mutable_data<float>();
  float window[kTaps] = {};
  std::copy_n(states + (from_slot * channels + channel) * kCarried, kCarried, window + 1);
  const float* weights = m->conv_weight.data<float>() + channel * kTaps;
  for (int64_t row = 0; row < m->rows; ++row) {
    std::copy_n(window + 1, kCarried, window);
    window[kCarried] =
        m->projection.data<float>()[row * options.width() + options.inner() + channel];
    float sum = m->conv_bias.data<float>()[channel];
    for (int64_t tap = 0; tap < kTaps; ++tap) sum += weights[tap] * window[tap];
    Activation::Silu().Apply(&sum, 1);
    RoundElements(DType::kBfloat16, 1, &sum);
    m->xbc.mutable_data<float>()[row * channels + channel] = sum;
    if (const int64_t slot = SlotOf(*m, row); slot >= 0) {
      std::copy_n(window + 1, kCarried, states + (slot * channels + channel) * kCarried);
    }
  }
}

float StepOf(const Options& options, float raw) {
  float step = raw;
  if (!(raw > 20)) {
    vec::Exp(&step, 1, &step);
    vec::Log1p(&step, 1, &step);
  }
  return step < options.least_step ? options.least_step : step;
}

// The recurrence of one head over all rows.
void RunHead(const Options& options, int64_t head, int64_t from_slot, Mamba* m) {
  const int64_t size = options.head_dim;
  const int64_t states = options.states;
  const int64_t partitions = m->rows == 1 && m->slots == 1 ? 2 : 4;
  float* snapshots = m->ssm_snapshots.mutable_data<float>();
  const int64_t count = states * size;
  const auto at = [&](int64_t slot) { return snapshots + (slot * options.heads + head) * count; };
  std::vector<float> state(at(from_slot), at(from_slot) + count);
  const int64_t own_group = head / (options.heads / options.groups) * states;
  for (int64_t row = 0; row < m->rows; ++row) {
    const float* xbc = m->xbc.data<float>() + row * options.channels();
    const float* x = xbc + head * size;
    const float* b = xbc + options.inner() + own_group;
    const float* c = b + options.groups * states;
    const float raw =
        m->projection.data<float>()[(row + 1) * options.width() - options.heads + head];
    const float step = StepOf(options, raw + m->time_bias.data<float>()[head]);
    float kept = m->decay.data<float>()[head] * step;
    vec::Exp(&kept, 1, &kept);
    for (int64_t i = 0; i < count; ++i) {
      float& s = state[static_cast<size_t>(i)];
      s = kept * s + step * x[i % size] * b[i / size];
    }
    float* out = m->readout.mutable_data<float>() + row * options.inner() + head * size;
    for (int64_t p = 0; p < size; ++p) {
      float total = 0;
      for (int64_t part = 0; part < partitions; ++part) {
        float sum = 0;
        for (int64_t n = part * states / partitions; n < (part + 1) * states / partitions; ++n) {
          sum += c[n] * state[static_cast<size_t>(n * size + p)];
        }
        total += sum;
      }
      out[p] = m->skip.data<float>()[head] * x[p] + total;
    }
    if (const int64_t slot = SlotOf(*m, row); slot >= 0) {
      std::copy(state.begin(), state.end(), at(slot));
    }
  }
}

// y = the gated readout, normalized within one group.
void NormalizeGroup(const Options& options, int64_t row, int64_t group, Mamba* m) {
  const int64_t size = options.inner() / options.groups;
  const int64_t first = row * options.inner() + group * size;
  const float* gate = m->projection.data<float>() + row * options.width() + group * size;
  float* y = m->y.mutable_data<float>() + first;
  std::copy_n(gate, size, y);
  Activation::Silu().Apply(y, size);
  for (int64_t i = 0; i < size; ++i) y[i] *= m->readout.data<float>()[first + i];
  const LaneStatistics<float> statistics = RootMeanSquareOf(y, size, options.epsilon);
  Standardize<float>(y, size, statistics, m->norm.data<float>() + group * size, nullptr, y);
}

absl::Status RunMamba(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(Mamba m, LoadMamba(ctx, options));
  OC_ASSIGN_OR_RETURN(const int64_t from_slot, ctx.ScalarInput<int64_t>(kStateRow));
  if (from_slot < 0 || from_slot >= m.slots) {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    const int64_t written = std::min(m.rows, m.slots);
    for (Tensor* states : {&m.conv_snapshots, &m.ssm_snapshots}) {
      std::fill_n(states->mutable_data<float>(), states->num_elements() / m.slots * written, kNaN);
    }
    for (Tensor* results : {&m.y, &m.xbc, &m.readout}) {
      std::fill_n(results->mutable_data<float>(), results->num_elements(), kNaN);
    }
  } else {
    ctx.pool().ParallelFor(options.channels(),
                           [&](int64_t channel) { ConvolveRows(options, channel, from_slot, &m); });
    ctx.pool().ParallelFor(options.heads,
                           [&](int64_t head) { RunHead(options, head, from_slot, &m); });
    ctx.pool().ParallelFor(m.rows * options.groups, [&](int64_t i) {
      NormalizeGroup(options, i / options.groups, i % options.groups, &m);
    });
  }
  const auto emit = [&](int index, const Tensor& result, DType dtype) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor stored, StoreTensor<float>(ctx, result, dtype));
    return ctx.SetOutput(index, std::move(stored));
  };
  OC_RETURN_IF_ERROR(emit(kY, m.y, DType::kBfloat16));
  OC_RETURN_IF_ERROR(emit(kConvSnapshots, m.conv_snapshots, DType::kBfloat16));
  OC_RETURN_IF_ERROR(emit(kSsmSnapshots, m.ssm_snapshots, ctx.Input(kSsmState).dtype()));
  OC_RETURN_IF_ERROR(emit(kXbc, m.xbc, DType::kBfloat16));
  return emit(kReadout, m.readout, ctx.Input(kSsmState).dtype());
}

// Mamba2Verify (com.microsoft 1): one sequence of R tokens through Mamba 2's mixer. A row of
// projection is [gate | xBC | dt]; x, B, C are parts of
//   xbc = silu(conv_bias + the causal convolution of 4 taps of xBC), rounded to bfloat16
// and for each head, with B and C of its group,
//   dt = max(softplus(dt + dt_bias), time_step_min), softplus(v) = v above 20
//   S  = exp(A_negative dt) S + (dt x) B,    readout = D x + sum over the states of C S
//   Y  = norm(readout * silu(gate)) * norm_weight, norm being x / sqrt(mean(x^2) + epsilon) of a
//        group's heads
// from the states of slot state_row on. The states after token r go to slot r, or, of more tokens
// than slots, those of the last ones to all slots; other slots stay. For a state_row out of range
// all that is written is NaN. The sum over the states is that of 4 parts, 2 for one token and slot.
absl::StatusOr<Kernel> Mamba2Verify(const KernelInit& node) {
  const Options options = {.heads = node.Int("heads"),
                           .groups = node.Int("n_groups"),
                           .head_dim = node.Int("head_dim"),
                           .states = node.Int("d_state"),
                           .epsilon = node.Float("epsilon"),
                           .least_step = node.Float("time_step_min")};
  if (options.head_dim != 64 || options.states != 128) {
    return absl::UnimplementedError(absl::StrCat("head_dim is ", options.head_dim, " and d_state ",
                                                 options.states,
                                                 ", and 64 and 128 alone are defined"));
  }
  constexpr int64_t kMost = int64_t{1} << 40;
  if (options.heads < 1 || options.groups < 1 || options.heads % options.groups != 0 ||
      options.heads > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.heads, " heads are not to be had in ", options.groups, " groups"));
  }
  return [options](KernelContext& ctx) { return RunMamba(ctx, options); };
}

}  // namespace

void RegisterContribMamba2Verify(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Mamba2Verify", {1}, Mamba2Verify);
}

}  // namespace onnxcmp
