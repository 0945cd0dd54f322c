#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/linear_recurrence.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/lanes.h"
#include "ops/contrib/packed_sequences.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kQuery,
  kKey,
  kValue,
  kOffsets,
  kDecay,
  kBeta,
  kInitialState,
  kALog,
  kDtBias,
  kCaptureCount,
  kCaptureActive
};

constexpr int64_t kMaxCapacity = 8;

enum class GateKind : uint8_t { kNone, kSoftplus, kSigmoid };

struct Options {
  UpdateRule rule;
  float scale = 0;  // 0: 1 / sqrt(size of a key)
  GateKind gate = GateKind::kNone;
  float lower_bound = 0;  // of kSigmoid
  bool sigmoid_beta = false;
  bool normalize = false;
  int64_t capacity = 0;
};

struct Sizes {
  int64_t tokens = 0, heads = 0, value_heads = 0, key_size = 0, value_size = 0;
  bool packed = false;           // query holds keys and values too
  Shape token_dims;              // (tokens) or (batch, sequence)
  std::vector<int64_t> offsets;  // where sequences begin
  bool decay_by_head = true;

  int64_t batch() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t group() const { return value_heads / heads; }
  int64_t decay_width() const { return decay_by_head ? 1 : key_size; }
};

absl::Status BadInput(const KernelContext& ctx, int index, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      "input ", index, " is ", ctx.Input(index).TypeString(), ", but must be ", expected));
}

absl::Status CheckDeltaShape(const KernelContext& ctx, int index, const Shape& want) {
  if (ctx.Input(index).shape() == want) return absl::OkStatus();
  return BadInput(ctx, index, absl::StrCat("[", ShapeToString(want), "]"));
}

Shape With(Shape shape, std::initializer_list<int64_t> more) {
  shape.insert(shape.end(), more.begin(), more.end());
  return shape;
}

// Heads and their sizes, from query, key and value, or from the state for a packed query.
absl::Status ReadHeads(const KernelContext& ctx, Sizes* sizes) {
  const Tensor& query = ctx.Input(kQuery);
  sizes->packed = !ctx.HasInput(kKey) && !ctx.HasInput(kValue);
  const int own = sizes->packed ? 1 : 2;  // axes after the tokens
  if (query.rank() != own + 1 && query.rank() != own + 2) {
    return BadInput(ctx, kQuery, sizes->packed ? "(tokens, columns)" : "(tokens, heads, size)");
  }
  const absl::Span<const int64_t> dims = query.shape();
  sizes->token_dims.assign(dims.begin(), dims.end() - own);
  sizes->tokens = *NumElements(sizes->token_dims);
  if (!sizes->packed) {
    if (!ctx.HasInput(kKey) || !ctx.HasInput(kValue) || ctx.Input(kValue).rank() != query.rank()) {
      return absl::InvalidArgumentError("query needs both key and value, of its rank");
    }
    sizes->heads = dims[dims.size() - 2];
    sizes->key_size = dims.back();
    const absl::Span<const int64_t> values = ctx.Input(kValue).shape();
    sizes->value_heads = values[values.size() - 2];
    sizes->value_size = values.back();
    OC_RETURN_IF_ERROR(
        CheckDeltaShape(ctx, kKey, With(sizes->token_dims, {sizes->heads, sizes->key_size})));
    OC_RETURN_IF_ERROR(CheckDeltaShape(
        ctx, kValue, With(sizes->token_dims, {sizes->value_heads, sizes->value_size})));
  } else {
    if (!ctx.HasInput(kInitialState) || ctx.Input(kInitialState).rank() != 4) {
      return absl::InvalidArgumentError("a packed query needs initial_state for its heads");
    }
    const Tensor& state = ctx.Input(kInitialState);
    sizes->value_heads = state.dim(1);
    sizes->value_size = state.dim(2);
    sizes->key_size = state.dim(3);
    const std::optional<int64_t> values = NumElements(Shape{state.dim(1), state.dim(2)});
    const int64_t keys = dims.back() - values.value_or(dims.back());
    if (sizes->key_size < 1 || keys < 1 || keys % 2 != 0 || keys / 2 % sizes->key_size != 0) {
      return BadInput(ctx, kQuery, "queries, keys and values of the heads of initial_state");
    }
    sizes->heads = keys / 2 / sizes->key_size;
  }
  if (sizes->heads < 1 || sizes->key_size < 1 || sizes->value_heads < 1 ||
      sizes->value_heads % sizes->heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(sizes->heads, " heads of keys cannot serve ",
                                                   sizes->value_heads, " of values"));
  }
  // There may be no tokens, and yet heads of any size.
  const int64_t room = 4 * kMaxCapacity;
  if (!NumElements(Shape{room, sizes->heads, sizes->key_size}).has_value() ||
      !NumElements(Shape{room, sizes->value_heads, sizes->value_size, sizes->key_size})
           .has_value()) {
    return absl::InvalidArgumentError("the heads are too large");
  }
  return absl::OkStatus();
}

// Where the sequences begin: cu_seqlens, or parts of one length.
absl::Status ReadSequences(const KernelContext& ctx, Sizes* sizes) {
  const int64_t tokens = sizes->tokens;
  if (ctx.HasInput(kOffsets)) {
    if (sizes->token_dims.size() != 1) {
      return absl::InvalidArgumentError("cu_seqlens needs one axis of tokens");
    }
    OC_ASSIGN_OR_RETURN(sizes->offsets,
                        SequenceOffsets(ctx, kOffsets, tokens, /*some_tokens=*/false));
  } else {
    const bool explicit_batch = sizes->token_dims.size() == 2;
    if (!explicit_batch && (!ctx.HasInput(kInitialState) || ctx.Input(kInitialState).rank() != 4)) {
      return absl::InvalidArgumentError("without cu_seqlens initial_state says how many sequences");
    }
    const int64_t batch = explicit_batch ? sizes->token_dims[0] : ctx.Input(kInitialState).dim(0);
    if (batch == 0 ? tokens != 0 : tokens % batch != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(tokens, " tokens do not make ", batch, " sequences of one length"));
    }
    OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kInt64, {batch}));
    for (int64_t i = 0; i <= batch; ++i) {
      sizes->offsets.push_back(batch == 0 ? 0 : i * (tokens / batch));
    }
  }
  if (!ctx.HasInput(kInitialState)) return absl::OkStatus();
  return CheckDeltaShape(ctx, kInitialState,
                         {sizes->batch(), sizes->value_heads, sizes->value_size, sizes->key_size});
}

// For every token and head (and element of the key) the input of the gate's function, and of every
// head exp(a_log).
template <typename C>
struct GateInputs {
  Tensor sum;  // decay + dt_bias
  std::vector<C> factors;
  int64_t run = 1;  // elements of a head
};

template <typename C>
absl::StatusOr<GateInputs<C>> ReadGateInputs(const KernelContext& ctx, const Sizes& sizes,
                                             const Tensor& decay) {
  const int64_t heads = sizes.value_heads;
  GateInputs<C> inputs;
  inputs.factors.resize(static_cast<size_t>(heads));
  inputs.run = sizes.decay_by_head ? 1 : sizes.key_size;
  OC_RETURN_IF_ERROR(CheckDeltaShape(ctx, kALog, {heads}));
  const Shape& shape = ctx.Input(kDtBias).shape();
  const bool by_key = !sizes.decay_by_head && (shape == Shape{heads, sizes.key_size} ||
                                               shape == Shape{heads * sizes.key_size});
  if (!by_key) OC_RETURN_IF_ERROR(CheckDeltaShape(ctx, kDtBias, {heads}));
  OC_ASSIGN_OR_RETURN(const Tensor a_log, LoadTensor<C>(ctx, ctx.Input(kALog)));
  OC_ASSIGN_OR_RETURN(const Tensor bias, LoadTensor<C>(ctx, ctx.Input(kDtBias)));
  vec::Exp(a_log.data<C>(), heads, inputs.factors.data());
  OC_ASSIGN_OR_RETURN(inputs.sum, ctx.Allocate(kDTypeOf<C>, decay.shape()));
  C* sum = inputs.sum.template mutable_data<C>();
  for (int64_t i = 0; i < decay.num_elements(); ++i) {
    const int64_t own = by_key ? i % (heads * inputs.run) : i / inputs.run % heads;
    sum[i] = decay.data<C>()[i] + bias.data<C>()[own];
  }
  return inputs;
}

// exp's argument for every token and head (and element of the key): decay,
// -exp(a_log) * softplus(decay + dt_bias), or lower_bound * sigmoid(exp(a_log) * (decay +
// dt_bias)).
template <typename C>
absl::StatusOr<Tensor> ReadDecay(const KernelContext& ctx, const Options& options, Sizes* sizes) {
  const Shape by_head = With(sizes->token_dims, {sizes->value_heads});
  sizes->decay_by_head = ctx.Input(kDecay).shape() == by_head;
  if (!sizes->decay_by_head) {
    OC_RETURN_IF_ERROR(CheckDeltaShape(ctx, kDecay, With(by_head, {sizes->key_size})));
  }
  OC_ASSIGN_OR_RETURN(Tensor decay, LoadTensor<C>(ctx, ctx.Input(kDecay)));
  if (options.gate == GateKind::kNone) return decay;
  OC_ASSIGN_OR_RETURN(GateInputs<C> inputs, ReadGateInputs<C>(ctx, *sizes, decay));
  C* g = inputs.sum.template mutable_data<C>();
  const int64_t count = decay.num_elements();
  const auto factor = [&](int64_t i) {
    return inputs.factors[static_cast<size_t>(i / inputs.run % sizes->value_heads)];
  };
  if (options.gate == GateKind::kSigmoid) {
    for (int64_t i = 0; i < count; ++i) g[i] *= factor(i);
    vec::Sigmoid(g, count, g);
    for (int64_t i = 0; i < count; ++i) g[i] *= static_cast<C>(options.lower_bound);
    return inputs.sum;
  }
  OC_ASSIGN_OR_RETURN(const Activation softplus, Activation::Make("Softplus", {}));
  softplus.Apply(g, count);
  for (int64_t i = 0; i < count; ++i) g[i] *= -factor(i);
  return inputs.sum;
}

template <typename C>
absl::StatusOr<Tensor> ReadBeta(const KernelContext& ctx, const Options& options,
                                const Sizes& sizes) {
  OC_RETURN_IF_ERROR(CheckDeltaShape(ctx, kBeta, With(sizes.token_dims, {sizes.value_heads})));
  OC_ASSIGN_OR_RETURN(Tensor beta, LoadTensor<C>(ctx, ctx.Input(kBeta)));
  if (!options.sigmoid_beta) return beta;
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, beta.shape()));
  vec::Sigmoid(beta.data<C>(), beta.num_elements(), result.template mutable_data<C>());
  return result;
}

// The numbers that the heads of all tokens are read from.
template <typename C>
struct Tokens {
  Tensor holder[3];
  const C* data[3] = {};   // queries, keys, values
  int64_t stride[3] = {};  // from a token to the next
};

template <typename C>
absl::StatusOr<Tokens<C>> ReadTokens(const KernelContext& ctx, const Sizes& sizes) {
  Tokens<C> tokens;
  const int64_t keys = sizes.heads * sizes.key_size;
  const int64_t values = sizes.value_heads * sizes.value_size;
  for (int i = 0; i < 3; ++i) {
    OC_ASSIGN_OR_RETURN(tokens.holder[i],
                        LoadTensor<C>(ctx, ctx.Input(sizes.packed ? kQuery : kQuery + i)));
    tokens.data[i] = tokens.holder[i].template data<C>() + (sizes.packed ? i * keys : 0);
    tokens.stride[i] = sizes.packed ? 2 * keys + values : i < 2 ? keys : values;
  }
  return tokens;
}

// y = x, or x / |x|.
template <typename C>
void CopyVector(const C* x, int64_t count, bool normalize, C* y) {
  C factor{1};
  if (normalize) {
    factor /= std::sqrt(LaneSquaredDeviations(x, count, C{0}) + static_cast<C>(1e-12));
  }
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] * factor;
}

// Where the transitions of the first tokens of a sequence go: all decays, all keys, all deltas.
template <typename C>
struct Capture {
  C* row = nullptr;  // null: nothing is wanted
  int64_t count = 0;
};

// One head of values over one sequence; `state` is keys x values.
template <typename C>
void RunHead(const Options& options, const Sizes& sizes, const Tokens<C>& tokens,
             const Tensor& decay, const Tensor& beta, int64_t sequence, int64_t head,
             const Capture<C>& capture, C* state, C* out) {
  const int64_t key_size = sizes.key_size;
  const int64_t value_size = sizes.value_size;
  const int64_t own = head / sizes.group();  // head of keys
  const C scale = options.scale == 0 ? C{1} / std::sqrt(static_cast<C>(key_size))
                                     : static_cast<C>(options.scale);
  std::vector<C> query(static_cast<size_t>(key_size));
  std::vector<C> key(static_cast<size_t>(key_size));
  std::vector<C> added(static_cast<size_t>(value_size));
  const int64_t first = sizes.offsets[static_cast<size_t>(sequence)];
  const int64_t last = sizes.offsets[static_cast<size_t>(sequence) + 1];
  for (int64_t token = first; token < last; ++token) {
    CopyVector(tokens.data[0] + token * tokens.stride[0] + own * key_size, key_size,
               options.normalize, query.data());
    CopyVector(tokens.data[1] + token * tokens.stride[1] + own * key_size, key_size,
               options.normalize, key.data());
    const int64_t at = token * sizes.value_heads + head;
    RecurrenceStep<C> step = {
        .key_size = key_size,
        .value_size = value_size,
        .key = key.data(),
        .value = tokens.data[2] + token * tokens.stride[2] + head * value_size,
        .decay_by_head = sizes.decay_by_head};
    if (decay.defined()) {
      step.decay = decay.data<C>() + (sizes.decay_by_head ? at : at * key_size);
    }
    if (beta.defined()) step.beta = beta.data<C>() + at;
    UpdateState(step, state, added.data());
    ReadState(state, query.data(), key_size, value_size, scale, out + at * value_size);

    const int64_t slot = token - first;
    if (capture.row == nullptr || slot >= capture.count) continue;
    C* decays = capture.row;
    C* keys = decays + options.capacity * sizes.value_heads * sizes.decay_width();
    C* deltas = keys + options.capacity * sizes.heads * key_size;
    const int64_t width = sizes.decay_width();
    C* own_decays = decays + (slot * sizes.value_heads + head) * width;
    std::fill_n(own_decays, width, C{1});
    if (step.decay != nullptr) vec::Exp(step.decay, width, own_decays);
    if (head % sizes.group() == 0) {
      std::copy(key.begin(), key.end(), keys + (slot * sizes.heads + own) * key_size);
    }
    std::copy(added.begin(), added.end(), deltas + (slot * sizes.value_heads + head) * value_size);
  }
}

// How many transitions of each sequence are captured; none are if capturing is switched off.
absl::StatusOr<std::vector<int64_t>> ReadCaptureCounts(const KernelContext& ctx,
                                                       const Options& options, const Sizes& sizes) {
  std::vector<int64_t> counts(static_cast<size_t>(sizes.batch()));
  bool active = options.capacity > 0;
  if (ctx.HasInput(kCaptureActive)) {
    OC_ASSIGN_OR_RETURN(const int64_t given, ctx.ScalarInput<int64_t>(kCaptureActive));
    active = active && given != 0;
  }
  if (options.capacity > 0)
    OC_RETURN_IF_ERROR(CheckDeltaShape(ctx, kCaptureCount, {sizes.batch()}));
  if (!active) return counts;
  OC_ASSIGN_OR_RETURN(counts, ctx.IntsInput(kCaptureCount));
  for (size_t b = 0; b < counts.size(); ++b) {
    const int64_t length = sizes.offsets[b + 1] - sizes.offsets[b];
    counts[b] = std::clamp<int64_t>(counts[b], 0, std::min(options.capacity, length));
  }
  return counts;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  Sizes sizes;
  OC_RETURN_IF_ERROR(ReadHeads(ctx, &sizes));
  OC_RETURN_IF_ERROR(ReadSequences(ctx, &sizes));
  Tensor decay;
  Tensor beta;
  if (options.rule.gated) {
    OC_ASSIGN_OR_RETURN(decay, ReadDecay<C>(ctx, options, &sizes));
  }
  if (options.rule.delta) {
    OC_ASSIGN_OR_RETURN(beta, ReadBeta<C>(ctx, options, sizes));
  }
  OC_ASSIGN_OR_RETURN(const Tokens<C> tokens, ReadTokens<C>(ctx, sizes));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, ReadCaptureCounts(ctx, options, sizes));
  Tensor initial;
  if (ctx.HasInput(kInitialState)) {
    OC_ASSIGN_OR_RETURN(initial, LoadTensor<C>(ctx, ctx.Input(kInitialState)));
  }
  const int64_t batch = sizes.batch();
  OC_ASSIGN_OR_RETURN(
      Tensor out,
      ctx.Allocate(kDTypeOf<C>, With(sizes.token_dims, {sizes.value_heads, sizes.value_size})));
  // Values x keys, the other way round than the recurrence has it.
  OC_ASSIGN_OR_RETURN(
      Tensor final_state,
      ctx.Allocate(kDTypeOf<C>, {batch, sizes.value_heads, sizes.value_size, sizes.key_size}));
  const int64_t width =
      options.capacity *
      (sizes.value_heads * (sizes.decay_width() + sizes.value_size) + sizes.heads * sizes.key_size);
  OC_ASSIGN_OR_RETURN(Tensor updates, ctx.Allocate(kDTypeOf<C>, {batch, width}));
  C* outs = out.template mutable_data<C>();
  C* states = final_state.template mutable_data<C>();
  C* rows = updates.template mutable_data<C>();
  std::fill_n(rows, updates.num_elements(), C{0});
  const int64_t elements = sizes.key_size * sizes.value_size;
  ctx.pool().ParallelFor(elements == 0 ? 0 : batch * sizes.value_heads, [&](int64_t lane) {
    std::vector<C> state(static_cast<size_t>(elements), C{0});
    const auto at = [&](int64_t value, int64_t key) -> C& {
      return state[static_cast<size_t>(key * sizes.value_size + value)];
    };
    C* own = states + lane * elements;
    for (int64_t i = 0; initial.defined() && i < elements; ++i) {
      at(i / sizes.key_size, i % sizes.key_size) = initial.data<C>()[lane * elements + i];
    }
    const int64_t sequence = lane / sizes.value_heads;
    const Capture<C> capture = {options.capacity > 0 ? rows + sequence * width : nullptr,
                                counts[static_cast<size_t>(sequence)]};
    RunHead<C>(options, sizes, tokens, decay, beta, sequence, lane % sizes.value_heads, capture,
               state.data(), outs);
    for (int64_t i = 0; i < elements; ++i) own[i] = at(i / sizes.key_size, i % sizes.key_size);
  });
  const DType dtype = ctx.Input(kQuery).dtype();
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(out)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(final_state)));
  return ctx.SetOutput(2, std::move(updates));
}

absl::StatusOr<GateKind> ReadGate(const KernelInit& node) {
  const std::string name = node.String("gate_activation");
  if (name == "none") return GateKind::kNone;
  if (name == "softplus" || name == "qwen") return GateKind::kSoftplus;
  if (name == "sigmoid" || name == "kda") return GateKind::kSigmoid;
  return absl::InvalidArgumentError(
      absl::StrCat("gate_activation \"", name, "\" is none of none, softplus and sigmoid"));
}

absl::StatusOr<bool> Choice(const KernelInit& node, const char* attribute, const char* other) {
  const std::string value = node.String(attribute);
  if (value == "none") return false;
  if (value == other) return true;
  return absl::InvalidArgumentError(
      absl::StrCat(attribute, " \"", value, "\" is neither none nor ", other));
}

absl::StatusOr<Options> ReadOptions(const KernelInit& node) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.rule, ParseUpdateRule(node.String("update_rule")));
  OC_ASSIGN_OR_RETURN(options.gate, ReadGate(node));
  options.lower_bound = node.Float("gate_lower_bound");
  OC_ASSIGN_OR_RETURN(options.sigmoid_beta, Choice(node, "beta_activation", "sigmoid"));
  options.scale = node.Float("scale");
  options.normalize = node.Flag("qk_l2_norm");
  options.capacity = node.Int("state_update_capacity");
  node.Ignore("chunk_size");
  if (options.capacity < 0 || options.capacity > kMaxCapacity) {
    return absl::InvalidArgumentError(
        absl::StrCat("state_update_capacity is ", options.capacity, ", not 0 to ", kMaxCapacity));
  }
  const auto check = [&](int index, bool wanted, absl::string_view name) {
    if (node.HasInput(index) == wanted) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name, wanted ? " is missing" : " is given, but nothing uses it"));
  };
  OC_RETURN_IF_ERROR(check(kDecay, options.rule.gated, "decay"));
  OC_RETURN_IF_ERROR(check(kBeta, options.rule.delta, "beta"));
  const bool gate = options.rule.gated && options.gate != GateKind::kNone;
  OC_RETURN_IF_ERROR(check(kALog, gate, "a_log"));
  OC_RETURN_IF_ERROR(check(kDtBias, gate, "dt_bias"));
  OC_RETURN_IF_ERROR(check(kCaptureCount, options.capacity > 0, "capture_count"));
  return options;
}

// GatedDeltaNet (com.microsoft 1): the recurrences of linear_recurrence.h on sequences that lie
// in a row, parted by cu_seqlens or into as many of one length as there are states;
// several heads of values may share one of keys.
//   query (tokens, heads, keys), key the same, value (tokens, value heads, values), or all three in
//   the columns of query; tokens may be (batch, sequence)
//   qk_l2_norm: q / sqrt(|q|^2 + 1e-12), k likewise
//   gate_activation softplus (or qwen): g = -exp(a_log) * softplus(decay + dt_bias); sigmoid (kda):
//   g = gate_lower_bound * sigmoid(exp(a_log) * (decay + dt_bias)); beta_activation: sigmoid
// States are (value heads, values, keys) and float. state_update has, for the first capture_count
// tokens of each sequence, exp(g), k and b (v - exp(g) S^T k): all of the first, of the second, of
// the third, with 0 where nothing is captured. Computed in float; the output is rounded once.
absl::StatusOr<Kernel> GatedDeltaNet(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Options options, ReadOptions(node));
  return FloatKernel(kQuery,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribGatedDeltaNet(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatedDeltaNet", {1}, GatedDeltaNet);
}

}  // namespace onnxcmp
