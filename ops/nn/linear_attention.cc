#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/load_store.h"
#include "ops/common/vector_math.h"

namespace onnxcmp {
namespace {

enum InputIndex { kQuery, kKey, kValue, kPastState, kDecay, kBeta };

struct Options {
  int64_t q_heads = 0;
  int64_t kv_heads = 0;
  float scale = 0;     // 0: 1 / sqrt(size of a key)
  bool gated = false;  // the state decays
  bool delta = false;  // what the state knows of a value already is not added again
};

struct Sizes {
  int64_t batch = 0, steps = 0, key_size = 0, value_size = 0;
  bool decay_by_head = false;  // else by each element of the key
  bool one_beta = false;       // for all heads
};

absl::Status BadShape(absl::string_view name, const Tensor& tensor, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has shape [", ShapeToString(tensor.shape()), "], expected ", expected));
}

absl::StatusOr<Sizes> CheckShapes(const KernelContext& ctx, const Options& options) {
  const Tensor& q = ctx.Input(kQuery);
  const Tensor& k = ctx.Input(kKey);
  const Tensor& v = ctx.Input(kValue);
  if (q.rank() != 3 || q.dim(2) % options.q_heads != 0 || q.dim(2) == 0) {
    return BadShape("query", q, absl::StrCat("(batch, steps, ", options.q_heads, " heads)"));
  }
  Sizes sizes = {.batch = q.dim(0), .steps = q.dim(1), .key_size = q.dim(2) / options.q_heads};
  const auto fits = [&](const Tensor& x, int64_t columns) {
    return x.shape() == Shape{sizes.batch, sizes.steps, columns};
  };
  if (k.rank() != 3 || k.dim(2) % sizes.key_size != 0 ||
      k.dim(2) / sizes.key_size != options.kv_heads || !fits(k, k.dim(2))) {
    return BadShape("key", k,
                    absl::StrCat("(", sizes.batch, ", ", sizes.steps, ", ", options.kv_heads,
                                 " heads of ", sizes.key_size, ")"));
  }
  if (v.rank() != 3 || v.dim(2) % options.kv_heads != 0 || !fits(v, v.dim(2))) {
    return BadShape(
        "value", v,
        absl::StrCat("(", sizes.batch, ", ", sizes.steps, ", ", options.kv_heads, " heads)"));
  }
  sizes.value_size = v.dim(2) / options.kv_heads;
  if (ctx.HasInput(kPastState)) {
    const Shape expected = {sizes.batch, options.kv_heads, sizes.key_size, sizes.value_size};
    if (ctx.Input(kPastState).shape() != expected) {
      return BadShape("past_state", ctx.Input(kPastState), ShapeToString(expected));
    }
  }
  // These must fit even if the rule does not use them.
  if (ctx.HasInput(kDecay)) {
    const Tensor& decay = ctx.Input(kDecay);
    sizes.decay_by_head = fits(decay, options.kv_heads);
    if (!sizes.decay_by_head && !fits(decay, k.dim(2))) {
      return BadShape("decay", decay, "a number for each head, or for each element of key");
    }
  }
  if (ctx.HasInput(kBeta)) {
    const Tensor& beta = ctx.Input(kBeta);
    sizes.one_beta = !fits(beta, options.kv_heads);
    if (sizes.one_beta && !fits(beta, 1)) {
      return BadShape("beta", beta, "a number for each head, or one");
    }
  }
  return sizes;
}

// One step of one head: the state (key_size x value_size) takes up the key and the value.
struct Step {
  const float* key;
  const float* value;
  const float* decay;  // null: none
  bool decay_by_head;
  const float* beta;  // null: no delta rule
};
void Update(const Step& step, const Sizes& sizes, float* state, float* residual) {
  using Row = Eigen::Map<Eigen::ArrayXf>;
  using ConstRow = Eigen::Map<const Eigen::ArrayXf>;
  const int64_t columns = sizes.value_size;
  if (step.decay != nullptr) {
    for (int64_t i = 0; i < sizes.key_size; ++i) {
      float factor = 0;
      vec::Exp(step.decay + (step.decay_by_head ? 0 : i), 1, &factor);
      Row(state + i * columns, columns) *= factor;
    }
  }
  Row added(residual, columns);
  added = ConstRow(step.value, columns);
  if (step.beta != nullptr) {
    for (int64_t i = 0; i < sizes.key_size; ++i) {
      added -= step.key[i] * ConstRow(state + i * columns, columns);
    }
    added *= *step.beta;
  }
  for (int64_t i = 0; i < sizes.key_size; ++i) {
    Row(state + i * columns, columns) += step.key[i] * added;
  }
}

absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Sizes sizes, CheckShapes(ctx, options));
  OC_ASSIGN_OR_RETURN(const Tensor q, LoadTensor<float>(ctx, ctx.Input(kQuery)));
  OC_ASSIGN_OR_RETURN(const Tensor k, LoadTensor<float>(ctx, ctx.Input(kKey)));
  OC_ASSIGN_OR_RETURN(const Tensor v, LoadTensor<float>(ctx, ctx.Input(kValue)));
  Tensor decay;
  Tensor beta;
  Tensor past;
  if (options.gated) {
    OC_ASSIGN_OR_RETURN(decay, LoadTensor<float>(ctx, ctx.Input(kDecay)));
  }
  if (options.delta) {
    OC_ASSIGN_OR_RETURN(beta, LoadTensor<float>(ctx, ctx.Input(kBeta)));
  }
  if (ctx.HasInput(kPastState)) {
    OC_ASSIGN_OR_RETURN(past, LoadTensor<float>(ctx, ctx.Input(kPastState)));
  }
  const int64_t kv_heads = options.kv_heads;
  const int64_t group = options.q_heads / kv_heads;
  const int64_t row = sizes.value_size;
  OC_ASSIGN_OR_RETURN(Tensor state,
                      ctx.Allocate(DType::kFloat, {sizes.batch, kv_heads, sizes.key_size, row}));
  OC_ASSIGN_OR_RETURN(
      Tensor out, ctx.Allocate(DType::kFloat, {sizes.batch, sizes.steps, options.q_heads * row}));
  float* states = state.mutable_data<float>();
  float* outs = out.mutable_data<float>();
  const float scale =
      options.scale == 0 ? 1.0f / std::sqrt(static_cast<float>(sizes.key_size)) : options.scale;
  // Without elements there may be any number of heads.
  const int64_t lanes = state.num_elements() == 0 ? 0 : sizes.batch * kv_heads;
  ctx.pool().ParallelFor(lanes, [&](int64_t lane) {
    const int64_t batch = lane / kv_heads;
    const int64_t head = lane % kv_heads;
    const int64_t elements = sizes.key_size * row;
    float* s = states + lane * elements;
    if (past.defined()) {
      std::copy_n(past.data<float>() + lane * elements, elements, s);
    } else {
      std::fill_n(s, elements, 0.0f);
    }
    std::vector<float> residual(static_cast<size_t>(row));
    for (int64_t t = 0; t < sizes.steps; ++t) {
      const int64_t at = batch * sizes.steps + t;
      const int64_t key = (at * kv_heads + head) * sizes.key_size;
      Step step = {k.data<float>() + key, v.data<float>() + (at * kv_heads + head) * row, nullptr,
                   sizes.decay_by_head, nullptr};
      if (decay.defined()) {
        step.decay = decay.data<float>() + (sizes.decay_by_head ? at * kv_heads + head : key);
      }
      if (beta.defined()) {
        step.beta = beta.data<float>() + (sizes.one_beta ? at : at * kv_heads + head);
      }
      Update(step, sizes, s, residual.data());
      for (int64_t g = 0; g < group; ++g) {
        const int64_t q_row = at * options.q_heads + head * group + g;
        const float* query = q.data<float>() + q_row * sizes.key_size;
        Eigen::Map<Eigen::ArrayXf> y(outs + q_row * row, row);
        y.setZero();
        for (int64_t i = 0; i < sizes.key_size; ++i) {
          y += query[i] * Eigen::Map<const Eigen::ArrayXf>(s + i * row, row);
        }
        y *= scale;
      }
    }
  });
  const DType state_dtype =
      past.defined() ? ctx.Input(kPastState).dtype() : ctx.Input(kQuery).dtype();
  OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<float>(ctx, out, ctx.Input(kQuery).dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  OC_ASSIGN_OR_RETURN(Tensor present, StoreTensor<float>(ctx, state, state_dtype));
  return ctx.SetOutput(1, std::move(present));
}

// LinearAttention (ai.onnx 27): a state S (key x value) for every head of keys and values; at every
// step t
//   linear:       S = S + k (x) v                  gated:       S = exp(g) S + k (x) v
//   delta:        S = S + b k (x) (v - S^T k)      gated_delta: delta with exp(g) S in place of S
// and o = scale q^T S for the heads of queries that share it. The state begins with past_state, or
// with 0, and is output 1, of past_state's type or else the query's. Computed in float; narrow
// floats are rounded in the outputs only. chunk_size is a hint.
Kernel LinearAttention(const KernelInit& node) {
  Options options;
  options.q_heads = node.Int("q_num_heads");
  options.kv_heads = node.Int("kv_num_heads");
  options.scale = node.Float("scale");
  node.Ignore("chunk_size");
  if (options.kv_heads < 1 || options.q_heads < 1 || options.q_heads % options.kv_heads != 0) {
    return node.Fail(absl::InvalidArgumentError(absl::StrCat(
        options.q_heads, " heads of queries cannot share ", options.kv_heads, " heads of keys")));
  }
  const std::string rule = node.String("update_rule");
  options.gated = rule == "gated" || rule == "gated_delta";
  options.delta = rule == "delta" || rule == "gated_delta";
  if (!options.gated && !options.delta && rule != "linear") {
    return node.Fail(absl::InvalidArgumentError(absl::StrCat(
        "update_rule \"", rule, "\" is none of linear, gated, delta and gated_delta")));
  }
  if ((options.gated && !node.HasInput(kDecay)) || (options.delta && !node.HasInput(kBeta))) {
    return node.Fail(absl::InvalidArgumentError(
        absl::StrCat("update_rule \"", rule, "\" needs the input ",
                     options.gated && !node.HasInput(kDecay) ? "decay" : "beta")));
  }
  return [options](KernelContext& ctx) { return Run(ctx, options); };
}

}  // namespace

void RegisterLinearAttention(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LinearAttention", {27}, LinearAttention);
}

}  // namespace onnxcmp
