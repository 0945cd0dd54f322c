#include "ops/contrib/attention/grouped_heads.h"

#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "ops/common/attention/attention.h"
#include "ops/common/attention/rotate_heads.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// (batch, sequence, heads, head size) of (batch, heads, sequence, head size) and the reverse.
Tensor SwapHeadsAndSequence(const Tensor& x) {
  const Shape& s = x.shape();
  const Shape& t = x.strides();
  return x.Strided({s[0], s[2], s[1], s[3]}, {t[0], t[2], t[1], t[3]}, x.offset());
}

}  // namespace

absl::StatusOr<HeadCounts> ReadHeadCounts(const KernelInit& node) {
  const HeadCounts counts = {node.Int("num_heads"), node.Int("kv_num_heads")};
  if (counts.q < 1 || counts.kv < 1 || counts.q % counts.kv != 0 ||
      counts.q > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_heads ", counts.q, " is no multiple of kv_num_heads ", counts.kv));
  }
  return counts;
}

absl::StatusOr<DecoderHeads> SplitIntoHeads(const Tensor& query, const Tensor* key,
                                            const Tensor* value, const HeadCounts& counts,
                                            bool may_be_empty) {
  if (query.rank() != 3) {
    return BadAttentionShape("query", query, "(batch, sequence, hidden)");
  }
  if ((key == nullptr) != (value == nullptr)) {
    return absl::InvalidArgumentError("key and value come together or not");
  }
  DecoderHeads heads;
  if (key == nullptr) {
    const int64_t all = counts.q + 2 * counts.kv;
    OC_ASSIGN_OR_RETURN(const Tensor packed, WithHeads(query, "query", all));
    heads.q = Narrowed(packed, 1, 0, counts.q);
    heads.k = Narrowed(packed, 1, counts.q, counts.kv);
    heads.v = Narrowed(packed, 1, counts.q + counts.kv, counts.kv);
  } else {
    for (const Tensor* x : {key, value}) {
      if (x->rank() != 3 || x->dim(0) != query.dim(0) || x->dim(1) != key->dim(1) ||
          (x->dim(1) != query.dim(1) && !(may_be_empty && x->dim(1) == 0))) {
        return BadAttentionShape(
            x == key ? "key" : "value", *x,
            absl::StrCat("(", query.dim(0), ", ", query.dim(1), ", hidden), as the query"));
      }
    }
    OC_ASSIGN_OR_RETURN(heads.q, WithHeads(query, "query", counts.q));
    OC_ASSIGN_OR_RETURN(heads.k, WithHeads(*key, "key", counts.kv));
    OC_ASSIGN_OR_RETURN(heads.v, WithHeads(*value, "value", counts.kv));
    if (heads.k.dim(3) != heads.q.dim(3) || heads.v.dim(3) != heads.q.dim(3)) {
      return absl::InvalidArgumentError(absl::StrCat("heads of query, key and value have ",
                                                     heads.q.dim(3), ", ", heads.k.dim(3), " and ",
                                                     heads.v.dim(3), " elements, not as many"));
    }
  }
  if (heads.q.dim(3) < 1) return BadAttentionShape("query", query, "elements in each head");
  return heads;
}

absl::StatusOr<DecoderHeads> SplitIntoHeads(const KernelContext& ctx, const HeadCounts& counts,
                                            bool may_be_empty) {
  return SplitIntoHeads(ctx.Input(0), ctx.HasInput(1) ? &ctx.Input(1) : nullptr,
                        ctx.HasInput(2) ? &ctx.Input(2) : nullptr, counts, may_be_empty);
}

template <typename C>
absl::StatusOr<std::vector<C>> LoadSinks(const KernelContext& ctx, int input, int64_t heads,
                                         bool smooth) {
  if (!ctx.HasInput(input)) return std::vector<C>(smooth ? static_cast<size_t>(heads) : 0, C{0});
  if (ctx.Input(input).shape() != Shape{heads}) {
    return BadAttentionShape("head_sink", ctx.Input(input), absl::StrCat("(", heads, ")"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor sinks, LoadTensor<C>(ctx, ctx.Input(input)));
  return std::vector<C>(sinks.data<C>(), sinks.data<C>() + heads);
}
template absl::StatusOr<std::vector<float>> LoadSinks<float>(const KernelContext&, int, int64_t,
                                                             bool);
template absl::StatusOr<std::vector<double>> LoadSinks<double>(const KernelContext&, int, int64_t,
                                                               bool);

absl::StatusOr<Tensor> NormalizedHeads(const KernelContext& ctx, const Tensor& x,
                                       const Tensor& weight, float epsilon) {
  const int64_t size = x.dim(3);
  if (weight.shape() != Shape{size}) {
    return BadAttentionShape("the norm's weight", weight, absl::StrCat("(", size, ")"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor rows, ctx.Contiguous(SwapHeadsAndSequence(x)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), rows.shape()));
  OC_RETURN_IF_ERROR(DispatchFloat(x.dtype(), [&]<typename C>() -> absl::Status {
    using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
    using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
    OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<C>(ctx, weight));
    const LaneShape lanes = {rows.num_elements() / size, size, 1};
    TransformLanes<C>(ctx.pool(), rows, lanes, y, [&](int64_t, const C* from, C* to) {
      const C mean_square = LaneSquaredDeviations(from, size, C{0}) / static_cast<C>(size);
      const C inverse = C{1} / std::sqrt(mean_square + static_cast<C>(epsilon));
      Lane(to, size) = ConstLane(from, size) * inverse * ConstLane(scale.data<C>(), size);
    });
    return absl::OkStatus();
  }));
  return SwapHeadsAndSequence(y);
}

absl::StatusOr<Tensor> RotatedHeads(const KernelContext& ctx, const Tensor& x,
                                    absl::Span<const int64_t> positions, const Tensor& cosines,
                                    const Tensor& sines, bool interleaved, int64_t offset) {
  if (cosines.rank() != 2 || sines.shape() != cosines.shape() || offset < 0 || offset > x.dim(3) ||
      cosines.dim(1) > (x.dim(3) - offset) / 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cos_cache [", ShapeToString(cosines.shape()), "] and sin_cache [",
        ShapeToString(sines.shape()), "] must be (positions, up to ", x.dim(3) / 2, ")"));
  }
  for (int64_t position : positions) {
    if (position < 0 || position >= cosines.dim(0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "position ", position, " is outside of the caches' ", cosines.dim(0), " rows"));
    }
  }
  OC_ASSIGN_OR_RETURN(const Tensor rows, ctx.Contiguous(SwapHeadsAndSequence(x)));
  RotaryShape shape = {.batch = x.dim(0),
                       .heads = x.dim(1),
                       .sequence = x.dim(2),
                       .head_size = x.dim(3),
                       .rotary_dim = 2 * cosines.dim(1),
                       .rotary_offset = offset,
                       .interleaved = interleaved};
  OC_ASSIGN_OR_RETURN(const Tensor y, RotateHeads(ctx, rows, shape, positions, cosines, sines));
  return SwapHeadsAndSequence(y);
}

}  // namespace onnxcmp
