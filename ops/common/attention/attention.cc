#include "ops/common/attention/attention.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/gemm.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

template <typename C>
void AttendHeads(const ThreadPool& pool, const AttentionShape& shape,
                 const AttentionRows<const C>& q, const AttentionRows<const C>& k,
                 const AttentionRows<const C>& v, AttentionWeights<C> weights,
                 const AttentionRows<C>& out) {
  // Queries are taken in blocks whose scores stay in the cache between the two products.
  constexpr int64_t kScores = int64_t{1} << 16;
  const int64_t block = std::clamp<int64_t>(kScores / std::max<int64_t>(1, shape.keys), 1, 64);
  const int64_t blocks = (shape.queries + block - 1) / block;
  pool.ParallelFor(shape.batch * shape.heads * blocks, [&](int64_t task) {
    const int64_t first = task % blocks * block;
    const int64_t rows = std::min(block, shape.queries - first);
    const int64_t head = task / blocks % shape.heads;
    const int64_t batch = task / blocks / shape.heads;
    const int64_t kv_head = head / (shape.heads / shape.kv_heads);
    int64_t keys = shape.keys;
    if (!shape.batch_keys.empty()) keys = shape.batch_keys[static_cast<size_t>(batch)];
    if (!shape.causal_keys.empty()) {
      const int64_t last = shape.causal_keys[static_cast<size_t>(batch)] + first + rows - 1;
      keys = std::clamp<int64_t>(last, 0, keys);
    }
    std::vector<C> scores(static_cast<size_t>(rows * keys));
    Gemm<C>(pool, {rows, keys, shape.head_size}, {q.Row(batch, head, first), q.row_stride, 1},
            {k.Row(batch, kv_head, 0), 1, k.row_stride}, {scores.data(), keys});
    for (int64_t i = 0; i < rows; ++i) {
      weights(batch, head, first + i, scores.data() + i * keys, keys);
    }
    Gemm<C>(pool, {rows, shape.value_size, keys}, {scores.data(), keys, 1},
            {v.Row(batch, kv_head, 0), v.row_stride, 1},
            {out.Row(batch, head, first), out.row_stride});
  });
}

// Elements as C, those of a row being neighbours.
template <typename C>
absl::StatusOr<Tensor> LoadHeads(const KernelContext& ctx, const Tensor& x) {
  if (x.dtype() == kDTypeOf<C> && (x.strides()[3] == 1 || x.dim(3) == 1)) return x;
  return LoadTensor<C>(ctx, x);
}

template <typename C>
AttentionRows<const C> StridedRows(const Tensor& x) {
  return {x.data<C>(), x.strides()[0], x.strides()[1], x.strides()[2]};
}

}  // namespace

template <typename C>
void Attend(const ThreadPool& pool, const AttentionShape& shape, const AttentionRows<const C>& q,
            const AttentionRows<const C>& k, const AttentionRows<const C>& v,
            AttentionWeights<C> weights, const AttentionRows<C>& out) {
  const int64_t group = shape.heads / shape.kv_heads;
  if (shape.queries != 1 || group == 1) {
    AttendHeads<C>(pool, shape, q, k, v, weights, out);
    return;
  }
  // The heads that share keys are the rows of one product, so that keys are read once.
  AttentionShape grouped = shape;
  grouped.heads = shape.kv_heads;
  grouped.queries = group;
  std::vector<int64_t> keys;  // where causality ends is the same for all rows
  if (!shape.causal_keys.empty()) {
    for (int64_t b = 0; b < shape.batch; ++b) {
      const auto i = static_cast<size_t>(b);
      const int64_t all = shape.batch_keys.empty() ? shape.keys : shape.batch_keys[i];
      keys.push_back(std::clamp<int64_t>(shape.causal_keys[i], 0, all));
    }
    grouped.batch_keys = keys;
    grouped.causal_keys = {};
  }
  const auto of_group = [&](int64_t batch, int64_t head, int64_t row, C* scores, int64_t count) {
    weights(batch, head * group + row, 0, scores, count);
  };
  AttendHeads<C>(pool, grouped, {q.data, q.batch_stride, group * q.head_stride, q.head_stride}, k,
                 v, of_group,
                 {out.data, out.batch_stride, group * out.head_stride, out.head_stride});
}
template void Attend<float>(const ThreadPool&, const AttentionShape&,
                            const AttentionRows<const float>&, const AttentionRows<const float>&,
                            const AttentionRows<const float>&, AttentionWeights<float>,
                            const AttentionRows<float>&);
template void Attend<double>(const ThreadPool&, const AttentionShape&,
                             const AttentionRows<const double>&, const AttentionRows<const double>&,
                             const AttentionRows<const double>&, AttentionWeights<double>,
                             const AttentionRows<double>&);

absl::Status BadAttentionShape(absl::string_view name, const Tensor& tensor,
                               absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has shape [", ShapeToString(tensor.shape()), "], expected ", expected));
}

absl::StatusOr<Tensor> WithHeads(const Tensor& x, absl::string_view name, int64_t heads) {
  if (x.rank() == 4) return x;
  if (x.rank() != 3) return BadAttentionShape(name, x, "3 or 4 dimensions");
  if (heads <= 0 || x.dim(2) % heads != 0) {
    return BadAttentionShape(name, x, absl::StrCat("a last dimension for ", heads, " heads"));
  }
  const int64_t size = x.dim(2) / heads;
  const Shape& strides = x.strides();
  return x.Strided({x.dim(0), heads, x.dim(1), size},
                   {strides[0], size * strides[2], strides[1], strides[2]}, x.offset());
}

absl::StatusOr<AttentionShape> ShapeOfAttention(const Tensor& q, const Tensor& k, const Tensor& v) {
  AttentionShape shape = {.batch = q.dim(0),
                          .heads = q.dim(1),
                          .kv_heads = k.dim(1),
                          .queries = q.dim(2),
                          .keys = k.dim(2),
                          .head_size = q.dim(3),
                          .value_size = v.dim(3)};
  if (k.dim(0) != shape.batch || k.dim(3) != shape.head_size) {
    return BadAttentionShape(
        "K", k,
        absl::StrCat("a batch of ", shape.batch, " and heads of ", shape.head_size, ", as Q"));
  }
  if (v.dim(0) != shape.batch || v.dim(1) != shape.kv_heads || v.dim(2) != shape.keys) {
    return BadAttentionShape(
        "V", v,
        absl::StrCat("(", shape.batch, ", ", shape.kv_heads, ", ", shape.keys, ", head size)"));
  }
  if (shape.kv_heads < 1 || shape.heads % shape.kv_heads != 0 || shape.head_size < 1 ||
      shape.value_size < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        shape.heads, " heads of ", shape.head_size, " elements cannot share ", shape.kv_heads,
        " heads of keys and values of ", shape.value_size, " elements"));
  }
  return shape;
}

template <typename C>
absl::StatusOr<Tensor> AttendTensors(const KernelContext& ctx, const AttentionShape& shape,
                                     const Tensor& q, const Tensor& k, const Tensor& v, bool joined,
                                     AttentionWeights<C> weights) {
  const Shape out_shape = joined ? Shape{shape.batch, shape.queries, shape.heads * shape.value_size}
                                 : Shape{shape.batch, shape.heads, shape.queries, shape.value_size};
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<C>, out_shape));
  OC_RETURN_IF_ERROR(
      CheckWork(ctx, static_cast<double>(out.num_elements()) * static_cast<double>(shape.keys)));
  C* out_data = out.mutable_data<C>();
  if (shape.keys == 0) {
    std::fill_n(out_data, out.num_elements(), C{0});
  } else if (out.num_elements() > 0) {
    OC_ASSIGN_OR_RETURN(const Tensor q_rows, LoadHeads<C>(ctx, q));
    OC_ASSIGN_OR_RETURN(const Tensor k_rows, LoadHeads<C>(ctx, k));
    OC_ASSIGN_OR_RETURN(const Tensor v_rows, LoadHeads<C>(ctx, v));
    const int64_t row = joined ? shape.heads * shape.value_size : shape.value_size;
    const int64_t head = joined ? shape.value_size : shape.queries * shape.value_size;
    Attend<C>(ctx.pool(), shape, StridedRows<C>(q_rows), StridedRows<C>(k_rows),
              StridedRows<C>(v_rows), weights,
              {out_data, out.num_elements() / shape.batch, head, row});
  }
  return out;
}
template absl::StatusOr<Tensor> AttendTensors<float>(const KernelContext&, const AttentionShape&,
                                                     const Tensor&, const Tensor&, const Tensor&,
                                                     bool, AttentionWeights<float>);
template absl::StatusOr<Tensor> AttendTensors<double>(const KernelContext&, const AttentionShape&,
                                                      const Tensor&, const Tensor&, const Tensor&,
                                                      bool, AttentionWeights<double>);

}  // namespace onnxcmp
