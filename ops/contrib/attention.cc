#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/attention.h"
#include "ops/common/compute_class.h"
#include "ops/common/gemm.h"
#include "ops/common/load_store.h"
#include "ops/common/softmax.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeights, kBias, kMask, kPast, kAttentionBias, kPastLength };

struct Options {
  int64_t heads = 0;
  bool unidirectional = false;
  float mask_filter_value = 0;
  float scale = 0;                    // 0: 1 / sqrt(head size)
  std::vector<int64_t> hidden_sizes;  // of Q, K, V; empty: a third of the weights' columns each
};

absl::Status BadShape(absl::string_view name, const Tensor& tensor, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has shape [", ShapeToString(tensor.shape()), "], expected ", expected));
}

// Sizes, from the shapes of all inputs.
struct Sizes {
  AttentionShape shape;
  int64_t input_size = 0;
  int64_t past = 0;
  int64_t qk_hidden = 0;
  int64_t v_hidden = 0;
  int64_t columns() const { return 2 * qk_hidden + v_hidden; }
};

absl::StatusOr<Sizes> CheckShapes(const KernelContext& ctx, const Options& options) {
  const Tensor& input = ctx.Input(kInput);
  const Tensor& weights = ctx.Input(kWeights);
  if (input.rank() != 3) {
    return BadShape("input", input, "(batch, sequence, hidden)");
  }
  Sizes sizes;
  AttentionShape& shape = sizes.shape;
  shape.batch = input.dim(0);
  shape.queries = input.dim(1);
  sizes.input_size = input.dim(2);
  if (weights.rank() != 2 || weights.dim(0) != sizes.input_size) {
    return BadShape("weights", weights, absl::StrCat("(", sizes.input_size, ", columns)"));
  }
  const int64_t columns = weights.dim(1);
  if (options.hidden_sizes.empty()) {
    sizes.qk_hidden = sizes.v_hidden = columns / 3;
  } else if (options.hidden_sizes.size() == 3 &&
             options.hidden_sizes[0] == options.hidden_sizes[1]) {
    sizes.qk_hidden = options.hidden_sizes[0];
    sizes.v_hidden = options.hidden_sizes[2];
  } else {
    return absl::InvalidArgumentError("qkv_hidden_sizes must be three, the first two the same");
  }
  if (sizes.qk_hidden <= 0 || sizes.v_hidden <= 0 || sizes.qk_hidden > columns ||
      sizes.v_hidden > columns || sizes.columns() != columns ||
      sizes.qk_hidden % options.heads != 0 || sizes.v_hidden % options.heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the weights' ", columns, " columns do not make Q, K and V of ", options.heads, " heads"));
  }
  shape.heads = shape.kv_heads = options.heads;
  shape.head_size = sizes.qk_hidden / options.heads;
  shape.value_size = sizes.v_hidden / options.heads;
  if (ctx.HasInput(kBias) && ctx.Input(kBias).shape() != Shape{columns}) {
    return BadShape("bias", ctx.Input(kBias), absl::StrCat("(", columns, ")"));
  }
  if (ctx.HasInput(kPast)) {
    const Tensor& past = ctx.Input(kPast);
    if (past.rank() != 5 || past.dim(0) != 2 || past.dim(1) != shape.batch ||
        past.dim(2) != shape.heads || past.dim(4) != shape.head_size) {
      return BadShape(
          "past", past,
          absl::StrCat("(2, ", shape.batch, ", ", shape.heads, ", past, ", shape.head_size, ")"));
    }
    sizes.past = past.dim(3);
  }
  if ((ctx.HasInput(kPast) || ctx.HasOutput(1)) && shape.value_size != shape.head_size) {
    return absl::InvalidArgumentError("past and present need K and V of the same size");
  }
  if (sizes.past > std::numeric_limits<int64_t>::max() - shape.queries) {
    return absl::InvalidArgumentError("past is too long");
  }
  shape.keys = sizes.past + shape.queries;
  return sizes;
}

// What is added to the scores of a row: a number for each key, or nothing.
template <typename C>
struct Addend {
  std::vector<C> values;
  int64_t batch_stride = 0, head_stride = 0, query_stride = 0;

  void AddTo(int64_t batch, int64_t head, int64_t query, C* row, int64_t keys) const {
    if (!values.empty()) {
      Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>(row, keys) +=
          Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>(
              values.data() + batch * batch_stride + head * head_stride + query * query_stride,
              keys);
    }
  }
};

// mask_filter_value for the keys that mask_index leaves out.
template <typename C>
absl::StatusOr<Addend<C>> LoadMask(const KernelContext& ctx, const AttentionShape& shape,
                                   float filter) {
  Addend<C> addend;
  if (!ctx.HasInput(kMask)) {
    return addend;
  }
  const Tensor& mask = ctx.Input(kMask);
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> values, ctx.IntsInput(kMask));
  const int64_t batch = shape.batch;
  const int64_t keys = shape.keys;
  if (mask.shape() == Shape{batch, keys} || mask.shape() == Shape{batch, shape.queries, keys}) {
    for (int64_t value : values) {
      addend.values.push_back(value > 0 ? C{0} : static_cast<C>(filter));
    }
    addend.query_stride = mask.rank() == 3 ? keys : 0;
    addend.batch_stride = mask.rank() == 3 ? shape.queries * keys : keys;
    return addend;
  }
  // The ends of the keys in use, or ends and then starts, or ends and what only a GPU reads.
  const int64_t count = mask.num_elements();
  if (mask.rank() != 1 || (count != batch && count / 2 != batch && (count - 2) / 3 != batch) ||
      (count != batch && count != 2 * batch && count != 3 * batch + 2)) {
    return BadShape(
        "mask_index", mask,
        absl::StrCat("(", batch, "), (2*", batch, "), (3*", batch, "+2), (", batch, ", ", keys,
                     ") or (", batch, ", ", shape.queries, ", ", keys, ")"));
  }
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t end = values[static_cast<size_t>(b)];
    const int64_t start = count == 2 * batch ? values[static_cast<size_t>(batch + b)] : 0;
    for (int64_t key = 0; key < keys; ++key) {
      addend.values.push_back(key >= start && key < end ? C{0} : static_cast<C>(filter));
    }
  }
  addend.batch_stride = keys;
  return addend;
}

template <typename C>
absl::StatusOr<Addend<C>> LoadAttentionBias(const KernelContext& ctx, const AttentionShape& shape) {
  Addend<C> addend;
  if (!ctx.HasInput(kAttentionBias)) {
    return addend;
  }
  const Tensor& bias = ctx.Input(kAttentionBias);
  if (bias.rank() != 4 || (bias.dim(0) != 1 && bias.dim(0) != shape.batch) ||
      (bias.dim(1) != 1 && bias.dim(1) != shape.heads) || bias.dim(2) != shape.queries ||
      bias.dim(3) != shape.keys) {
    return BadShape("attention_bias", bias,
                    absl::StrCat("(1 or ", shape.batch, ", 1 or ", shape.heads, ", ", shape.queries,
                                 ", ", shape.keys, ")"));
  }
  OC_ASSIGN_OR_RETURN(Tensor contiguous, ctx.Contiguous(bias));
  addend.values.resize(static_cast<size_t>(contiguous.num_elements()));
  LoadElements(contiguous.dtype(), contiguous.raw_data(), 0, contiguous.num_elements(),
               addend.values.data());
  addend.query_stride = shape.keys;
  addend.head_stride = bias.dim(1) == 1 ? 0 : shape.queries * shape.keys;
  addend.batch_stride = bias.dim(0) == 1 ? 0 : bias.dim(1) * shape.queries * shape.keys;
  return addend;
}

// input * weights + bias: (batch * sequence, Q | K | V).
template <typename C>
absl::StatusOr<Tensor> Project(const KernelContext& ctx, const Sizes& sizes) {
  const int64_t columns = sizes.columns();
  OC_ASSIGN_OR_RETURN(Tensor input, LoadTensor<C>(ctx, ctx.Input(kInput)));
  OC_ASSIGN_OR_RETURN(Tensor weights, LoadTensor<C>(ctx, ctx.Input(kWeights)));
  OC_ASSIGN_OR_RETURN(Tensor qkv,
                      ctx.Allocate(kDTypeOf<C>, {sizes.shape.batch, sizes.shape.queries, columns}));
  const int64_t rows = sizes.shape.batch * sizes.shape.queries;
  C* out = qkv.mutable_data<C>();
  Gemm<C>(ctx.pool(), {rows, columns, sizes.input_size}, {input.data<C>(), sizes.input_size, 1},
          {weights.data<C>(), columns, 1}, {out, columns});
  if (ctx.HasInput(kBias)) {
    OC_ASSIGN_OR_RETURN(Tensor bias, LoadTensor<C>(ctx, ctx.Input(kBias)));
    using Row = Eigen::Array<C, Eigen::Dynamic, 1>;
    for (int64_t row = 0; row < rows; ++row) {
      Eigen::Map<Row>(out + row * columns, columns) +=
          Eigen::Map<const Row>(bias.data<C>(), columns);
    }
  }
  return qkv;
}

// past followed by the new keys and values, as (2, batch, heads, keys, head size).
template <typename C>
absl::StatusOr<Tensor> Present(const KernelContext& ctx, const Sizes& sizes, const Tensor& qkv) {
  const AttentionShape& shape = sizes.shape;
  OC_ASSIGN_OR_RETURN(Tensor present, ctx.Allocate(kDTypeOf<C>, {2, shape.batch, shape.heads,
                                                                 shape.keys, shape.head_size}));
  Tensor past;
  if (ctx.HasInput(kPast)) {
    OC_ASSIGN_OR_RETURN(past, LoadTensor<C>(ctx, ctx.Input(kPast)));
  }
  const int64_t old = sizes.past * shape.head_size;
  if (present.num_elements() == 0) {
    return present;
  }
  C* out = present.mutable_data<C>();
  for (int64_t part = 0; part < 2; ++part) {  // keys, values
    for (int64_t lane = 0; lane < shape.batch * shape.heads; ++lane) {
      const int64_t index = part * shape.batch * shape.heads + lane;
      if (old > 0) {
        out = std::copy_n(past.data<C>() + index * old, old, out);
      }
      const int64_t head = lane % shape.heads;
      const C* row = qkv.data<C>() + lane / shape.heads * shape.queries * sizes.columns() +
                     (1 + part) * sizes.qk_hidden + head * shape.head_size;
      for (int64_t s = 0; s < shape.queries; ++s, row += sizes.columns()) {
        out = std::copy_n(row, shape.head_size, out);
      }
    }
  }
  return present;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(Sizes sizes, CheckShapes(ctx, options));
  const AttentionShape& shape = sizes.shape;
  OC_ASSIGN_OR_RETURN(Addend<C> mask, LoadMask<C>(ctx, shape, options.mask_filter_value));
  OC_ASSIGN_OR_RETURN(Addend<C> bias, LoadAttentionBias<C>(ctx, shape));
  OC_ASSIGN_OR_RETURN(Tensor qkv, Project<C>(ctx, sizes));

  const int64_t columns = sizes.columns();
  const C* data = qkv.data<C>();
  const AttentionRows<const C> q{data, shape.queries * columns, shape.head_size, columns};
  AttentionRows<const C> k = q;
  k.data = data + sizes.qk_hidden;
  AttentionRows<const C> v{data + 2 * sizes.qk_hidden, shape.queries * columns, shape.value_size,
                           columns};
  Tensor present;
  if (ctx.HasInput(kPast) || ctx.HasOutput(1)) {
    OC_ASSIGN_OR_RETURN(present, Present<C>(ctx, sizes, qkv));
    const int64_t head = shape.keys * shape.head_size;
    k = {present.data<C>(), shape.heads * head, head, shape.head_size};
    v = k;
    v.data += shape.batch * shape.heads * head;
  }

  const C scale = options.scale == 0 ? C{1} / std::sqrt(static_cast<C>(shape.head_size))
                                     : static_cast<C>(options.scale);
  auto weights = [&](int64_t batch, int64_t head, int64_t query, C* row) {
    Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>(row, shape.keys) *= scale;
    bias.AddTo(batch, head, query, row, shape.keys);
    mask.AddTo(batch, head, query, row, shape.keys);
    if (options.unidirectional) {
      std::fill(row + sizes.past + query + 1, row + shape.keys, std::numeric_limits<C>::lowest());
    }
    SoftmaxLane(row, shape.keys, row);
  };
  OC_ASSIGN_OR_RETURN(Tensor out,
                      ctx.Allocate(kDTypeOf<C>, {shape.batch, shape.queries, sizes.v_hidden}));
  Attend<C>(
      ctx.pool(), shape, q, k, v, weights,
      {out.mutable_data<C>(), shape.queries * sizes.v_hidden, shape.value_size, sizes.v_hidden});
  const DType dtype = ctx.Input(kInput).dtype();
  OC_ASSIGN_OR_RETURN(Tensor rounded, StoreTensor<C>(ctx, out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(rounded)));
  if (ctx.HasOutput(1)) {
    OC_ASSIGN_OR_RETURN(Tensor rounded_present, StoreTensor<C>(ctx, present, dtype));
    OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(rounded_present)));
  }
  return absl::OkStatus();
}

// Attention (com.microsoft 1): self attention with the projections inside.
//   Q | K | V = input * weights + bias, cut into heads; K and V appended to past give present
//   output = softmax(scale * Q K^T + attention_bias + mask) V
// The mask adds mask_filter_value for the keys that mask_index leaves out; with unidirectional the
// keys after a query's own position get the lowest value instead. mask_index is (B, T) or
// (B, S, T), or the ends (B) or ends and starts (2B) of the keys in use; of (3B + 2) the first B
// are ends and the rest is not used, as in onnxruntime on a CPU. Narrow floats are computed in
// float and rounded in the outputs only. Not supported: rotary embedding inside, and a present
// that shares the buffer of past.
Kernel Attention(const KernelInit& node) {
  Options options;
  options.heads = node.Int("num_heads");
  options.unidirectional = node.Flag("unidirectional");
  options.mask_filter_value = node.Float("mask_filter_value", -10000.0f);
  options.scale = node.Float("scale", 0);
  options.hidden_sizes = node.Ints("qkv_hidden_sizes");
  if (options.heads <= 0) {
    return node.Fail(absl::InvalidArgumentError(absl::StrCat("num_heads is ", options.heads)));
  }
  if (node.Int("do_rotary", 0) != 0) {
    return node.Fail(absl::UnimplementedError("do_rotary of Attention"));
  }
  node.Ignore("rotary_embedding_dim");  // means something with do_rotary only
  if (node.Int("past_present_share_buffer", 0) != 0 || node.HasInput(kPastLength)) {
    return node.Fail(absl::UnimplementedError("past_present_share_buffer of Attention"));
  }
  return [options](KernelContext& ctx) {
    return DispatchFloat(ctx.Input(kInput).dtype(),
                         [&]<typename C>() { return Run<C>(ctx, options); });
  };
}

}  // namespace

void RegisterContribAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Attention", {1}, Attention);
}

}  // namespace onnxcmp
