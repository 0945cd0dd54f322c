#include "ops/common/attention/linear_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/attention/linear_recurrence.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

enum InputIndex { kQuery, kKey, kValue, kPastState, kDecay, kBeta };

struct Options {
  int64_t q_heads = 0;
  int64_t kv_heads = 0;
  float scale = 0;  // 0: 1 / sqrt(size of a key)
  UpdateRule rule;
  int64_t window = 0;  // states kept; 0: the last one, without an axis of its own
  bool extended = false;
};

struct Sizes {
  int64_t batch = 0, steps = 0, key_size = 0, value_size = 0;
  int64_t key_heads = 0;
  bool decay_by_head = false;  // else by each element of the key
  bool one_beta = false;       // for all heads
};

absl::Status BadShape(absl::string_view name, const Tensor& tensor, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has shape [", ShapeToString(tensor.shape()), "], expected ", expected));
}

Shape StateShape(const Options& options, const Sizes& sizes) {
  Shape shape = {sizes.batch, options.kv_heads, sizes.key_size, sizes.value_size};
  if (options.window > 0) shape.insert(shape.begin(), options.window);
  return shape;
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
  const bool whole = k.rank() == 3 && k.dim(2) % sizes.key_size == 0 && fits(k, k.dim(2));
  sizes.key_heads = whole ? k.dim(2) / sizes.key_size : 0;
  if (sizes.key_heads != options.kv_heads &&
      !(options.extended && sizes.key_heads > 0 && options.kv_heads % sizes.key_heads == 0)) {
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
    const Shape expected = StateShape(options, sizes);
    if (ctx.Input(kPastState).shape() != expected) {
      return BadShape("past_state", ctx.Input(kPastState), ShapeToString(expected));
    }
  }
  // These must fit even if the rule does not use them. There are no more heads than elements of
  // value, or nothing at all.
  if (ctx.HasInput(kDecay)) {
    const Tensor& decay = ctx.Input(kDecay);
    const bool by_key = decay.rank() == 3 && decay.dim(2) % sizes.key_size == 0 &&
                        decay.dim(2) / sizes.key_size == options.kv_heads &&
                        fits(decay, decay.dim(2));
    sizes.decay_by_head = fits(decay, options.kv_heads);
    if (!sizes.decay_by_head && !by_key) {
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

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Sizes sizes, CheckShapes(ctx, options));
  OC_ASSIGN_OR_RETURN(const Tensor q, LoadTensor<C>(ctx, ctx.Input(kQuery)));
  OC_ASSIGN_OR_RETURN(const Tensor k, LoadTensor<C>(ctx, ctx.Input(kKey)));
  OC_ASSIGN_OR_RETURN(const Tensor v, LoadTensor<C>(ctx, ctx.Input(kValue)));
  Tensor decay;
  Tensor beta;
  Tensor past;
  if (options.rule.gated) {
    OC_ASSIGN_OR_RETURN(decay, LoadTensor<C>(ctx, ctx.Input(kDecay)));
  }
  if (options.rule.delta) {
    OC_ASSIGN_OR_RETURN(beta, LoadTensor<C>(ctx, ctx.Input(kBeta)));
  }
  if (ctx.HasInput(kPastState)) {
    OC_ASSIGN_OR_RETURN(past, LoadTensor<C>(ctx, ctx.Input(kPastState)));
  }
  const int64_t kv_heads = options.kv_heads;
  const int64_t heads = std::max(options.q_heads, kv_heads);  // of the output
  const int64_t group = heads / kv_heads;
  const int64_t row = sizes.value_size;
  OC_ASSIGN_OR_RETURN(Tensor state, ctx.Allocate(kDTypeOf<C>, StateShape(options, sizes)));
  OC_ASSIGN_OR_RETURN(Tensor out,
                      ctx.Allocate(kDTypeOf<C>, {sizes.batch, sizes.steps, heads * row}));
  C* states = state.template mutable_data<C>();
  C* outs = out.template mutable_data<C>();
  const C scale =
      options.scale == 0 ? C{1} / std::sqrt(static_cast<C>(sizes.key_size)) : C{options.scale};
  // Without elements there may be any number of heads.
  const int64_t lanes = state.num_elements() == 0 ? 0 : sizes.batch * kv_heads;
  const int64_t elements = sizes.key_size * row;
  const int64_t slots = std::max<int64_t>(options.window, 1);
  ctx.pool().ParallelFor(lanes, [&](int64_t lane) {
    const int64_t batch = lane / kv_heads;
    const int64_t head = lane % kv_heads;
    // The last slot is where the state lives; past_state is read from there too.
    const auto slot = [&](int64_t j) { return states + (j * lanes + lane) * elements; };
    C* s = slot(slots - 1);
    if (past.defined()) {
      std::copy_n(past.data<C>() + ((slots - 1) * lanes + lane) * elements, elements, s);
    } else {
      std::fill_n(s, elements, C{0});
    }
    std::vector<C> added(static_cast<size_t>(row));
    for (int64_t t = 0; t < sizes.steps; ++t) {
      const int64_t at = batch * sizes.steps + t;
      const int64_t own = at * kv_heads + head;
      const int64_t key = at * sizes.key_heads + head / (kv_heads / sizes.key_heads);
      RecurrenceStep<C> step = {.key_size = sizes.key_size,
                                .value_size = row,
                                .key = k.data<C>() + key * sizes.key_size,
                                .value = v.data<C>() + own * row,
                                .decay_by_head = sizes.decay_by_head};
      if (decay.defined()) {
        step.decay = decay.data<C>() + (sizes.decay_by_head ? own : own * sizes.key_size);
      }
      if (beta.defined()) step.beta = beta.data<C>() + (sizes.one_beta ? at : own);
      UpdateState(step, s, added.data());
      for (int64_t g = 0; g < group; ++g) {
        const int64_t to = head * group + g;
        const int64_t from = at * options.q_heads + to * options.q_heads / heads;
        ReadState(s, q.data<C>() + from * sizes.key_size, sizes.key_size, row, scale,
                  outs + (at * heads + to) * row);
      }
      const int64_t j = slots - sizes.steps + t;  // the slot of this step
      if (j >= 0 && j < slots - 1) std::copy_n(s, elements, slot(j));
    }
    for (int64_t j = 0; j < std::min(slots - 1, slots - sizes.steps); ++j) {
      std::fill_n(slot(j), elements, C{0});
    }
    if (options.window > 0 && sizes.steps == 0) std::fill_n(s, elements, C{0});
  });
  const DType state_dtype =
      past.defined() ? ctx.Input(kPastState).dtype() : ctx.Input(kQuery).dtype();
  OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<C>(ctx, out, ctx.Input(kQuery).dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  OC_ASSIGN_OR_RETURN(Tensor present, StoreTensor<C>(ctx, state, state_dtype));
  return ctx.SetOutput(1, std::move(present));
}

}  // namespace

absl::StatusOr<Kernel> LinearAttentionKernel(const KernelInit& node, bool extended) {
  Options options;
  options.extended = extended;
  options.q_heads = node.Int("q_num_heads");
  options.kv_heads = node.Int("kv_num_heads");
  options.scale = node.Float("scale");
  node.Ignore("chunk_size");
  const bool positive = options.kv_heads >= 1 && options.q_heads >= 1;
  if (!positive || (options.q_heads % options.kv_heads != 0 &&
                    !(extended && options.kv_heads % options.q_heads == 0))) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.q_heads, " heads of queries cannot share ", options.kv_heads, " heads of keys"));
  }
  OC_ASSIGN_OR_RETURN(options.rule, ParseUpdateRule(node.String("update_rule")));
  if ((options.rule.gated && !node.HasInput(kDecay)) ||
      (options.rule.delta && !node.HasInput(kBeta))) {
    return absl::InvalidArgumentError(
        absl::StrCat("update_rule \"", node.String("update_rule"), "\" needs the input ",
                     options.rule.gated && !node.HasInput(kDecay) ? "decay" : "beta"));
  }
  if (extended) {
    options.window = node.Int("state_window");
    if (options.window < 0 || options.window > 8) {
      return absl::InvalidArgumentError(
          absl::StrCat("state_window is ", options.window, ", not 0 to 8"));
    }
  }
  return FloatKernel(kQuery,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace onnxcmp
