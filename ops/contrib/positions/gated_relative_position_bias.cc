#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/products/gemm.h"
#include "ops/common/reduction/lanes.h"
#include "ops/contrib/attention/multi_head.h"

namespace onnxcmp {
namespace {

enum InputIndex { kQuery, kQueryBias, kRelPos, kWeight, kBias, kEcoA, kTokenOffset };

// The queries as (batch, sequence, hidden), with zeros where there was padding.
template <typename C>
absl::StatusOr<Tensor> LoadQueries(const KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor given, LoadTensor<C>(ctx, ctx.Input(kQuery)));
  if (!ctx.HasInput(kTokenOffset)) {
    if (given.rank() != 3) {
      return BadAttentionShape("query_layer", given, "(batch, sequence, hidden)");
    }
    return given;
  }
  const Tensor& places = ctx.Input(kTokenOffset);
  if (given.rank() != 2 || places.rank() != 2 || places.num_elements() < given.dim(0)) {
    return BadAttentionShape("query_layer with token_offset", given, "(tokens, hidden)");
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, ctx.IntsInput(kTokenOffset));
  const int64_t hidden = given.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor rows,
                      ctx.Allocate(kDTypeOf<C>, {places.dim(0), places.dim(1), hidden}));
  C* out = rows.mutable_data<C>();
  std::fill_n(out, rows.num_elements(), C{0});
  for (int64_t token = 0; token < given.dim(0); ++token) {
    const int64_t place = offsets[static_cast<size_t>(token)];
    if (place < 0 || place >= places.num_elements()) {
      return absl::InvalidArgumentError(absl::StrCat("token_offset ", place, " is outside of ",
                                                     places.num_elements(), " places"));
    }
    std::copy_n(given.data<C>() + token * hidden, hidden, out + place * hidden);
  }
  return rows;
}

template <typename C>
absl::Status Run(KernelContext& ctx, int64_t heads) {
  OC_ASSIGN_OR_RETURN(const Tensor rows, LoadQueries<C>(ctx));
  const int64_t batch = rows.dim(0);
  const int64_t sequence = rows.dim(1);
  if (ctx.Input(kQueryBias).shape() != Shape{rows.dim(2)}) {
    return BadAttentionShape("query_bias", ctx.Input(kQueryBias), absl::StrCat(rows.dim(2)));
  }
  OC_ASSIGN_OR_RETURN(const Tensor biased,
                      HeadsWithBias<C>(ctx, rows, "query_layer", heads, kQueryBias, 0));
  OC_ASSIGN_OR_RETURN(const Tensor queries, ctx.Contiguous(biased));
  const int64_t size = queries.dim(3);
  const Tensor& weight = ctx.Input(kWeight);
  if (weight.rank() != 2 || weight.dim(0) != size || weight.dim(1) % 2 != 0 ||
      ctx.Input(kBias).shape() != Shape{weight.dim(1)}) {
    return BadAttentionShape("weight", weight,
                             absl::StrCat("(", size, ", an even number, that of bias)"));
  }
  const Shape table = {1, heads, sequence, sequence};
  if (ctx.Input(kRelPos).shape() != table || ctx.Input(kEcoA).shape() != Shape{1, heads, 1, 1}) {
    return absl::InvalidArgumentError(
        absl::StrCat("rel_pos [", ShapeToString(ctx.Input(kRelPos).shape()), "] and eco_a [",
                     ShapeToString(ctx.Input(kEcoA).shape()), "] do not go with ", heads,
                     " heads and ", sequence, " tokens"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor rel_pos, LoadTensor<C>(ctx, ctx.Input(kRelPos)));
  OC_ASSIGN_OR_RETURN(const Tensor eco_a, LoadTensor<C>(ctx, ctx.Input(kEcoA)));
  OC_ASSIGN_OR_RETURN(const Tensor factors, LoadTensor<C>(ctx, weight));
  OC_ASSIGN_OR_RETURN(const Tensor addend, LoadTensor<C>(ctx, ctx.Input(kBias)));
  const int64_t columns = weight.dim(1);
  const int64_t count = batch * heads * sequence;
  OC_ASSIGN_OR_RETURN(Tensor gates, ctx.Allocate(kDTypeOf<C>, {count, columns}));
  C* gate_rows = gates.mutable_data<C>();
  Gemm<C>(ctx.pool(), {count, columns, size}, {queries.data<C>(), size, 1},
          {factors.data<C>(), columns, 1}, {gate_rows, columns});
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<C>, {batch, heads, sequence, sequence}));
  C* out_rows = out.mutable_data<C>();
  ctx.pool().ParallelRanges(
      count, LaneGrain(columns + sequence, 2), [&](int64_t begin, int64_t end) {
        using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
        using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
        for (int64_t row = begin; row < end; ++row) {
          C* gate = gate_rows + row * columns;
          Lane(gate, columns) += ConstLane(addend.data<C>(), columns);
          C sums[2] = {LaneSum(gate, columns / 2), LaneSum(gate + columns / 2, columns / 2)};
          vec::Sigmoid(sums, 2, sums);
          const int64_t head = row / sequence % heads;
          const C factor = sums[0] * (sums[1] * eco_a.data<C>()[head] - C{1}) + C{2};
          Lane(out_rows + row * sequence, sequence) =
              factor * ConstLane(rel_pos.data<C>() + row % (heads * sequence) * sequence, sequence);
        }
      });
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, ctx.Input(kQuery).dtype()));
  return ctx.SetOutput(0, std::move(out));
}

// GatedRelativePositionBias (com.microsoft 1): for every head of q = query_layer + query_bias
//   u, r = sigmoid of the sums of the two halves of q * weight + bias
//   output = (u * (r * eco_a - 1) + 2) * rel_pos
// With token_offset the queries are packed without their padding, whose queries count as 0.
absl::StatusOr<Kernel> GatedRelativePositionBias(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const int64_t heads, ReadNumHeads(node));
  return FloatKernel(kQuery,
                     [heads]<typename C>(KernelContext& ctx) { return Run<C>(ctx, heads); });
}

}  // namespace

void RegisterContribGatedRelativePositionBias(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatedRelativePositionBias", {1}, GatedRelativePositionBias);
}

}  // namespace onnxcmp
