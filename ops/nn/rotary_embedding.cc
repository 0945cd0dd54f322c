#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/rotate_heads.h"

namespace onnxcmp {
namespace {

struct Options {
  bool interleaved = false;
  int64_t heads = 0;       // of an input of rank 3
  int64_t rotary_dim = 0;  // 0: the whole head
};

absl::StatusOr<RotaryShape> ReadShape(const Tensor& x, const Options& options) {
  RotaryShape shape;
  shape.interleaved = options.interleaved;
  if (x.rank() == 4) {
    shape.heads_first = true;
    shape.heads = x.dim(1);
    shape.sequence = x.dim(2);
    shape.head_size = x.dim(3);
  } else if (x.rank() == 3) {
    if (options.heads <= 0 || x.dim(2) % options.heads != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(x.dim(2), " elements do not make ", options.heads, " heads"));
    }
    shape.heads = options.heads;
    shape.sequence = x.dim(1);
    shape.head_size = x.dim(2) / options.heads;
  } else {
    return absl::InvalidArgumentError(absl::StrCat("X has rank ", x.rank(), ", not 3 or 4"));
  }
  shape.batch = x.dim(0);
  shape.rotary_dim = options.rotary_dim == 0 ? shape.head_size : options.rotary_dim;
  if (shape.rotary_dim < 0 || shape.rotary_dim > shape.head_size || shape.rotary_dim % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot rotate ", shape.rotary_dim,
                                                   " elements of a head of ", shape.head_size));
  }
  return shape;
}

// The row of the caches for every entry of the batch and position in the sequence.
absl::StatusOr<std::vector<int64_t>> CacheRows(const KernelContext& ctx, const RotaryShape& shape) {
  const Tensor& cosines = ctx.Input(1);
  const bool by_position = ctx.HasInput(3);
  const Shape expected =
      by_position ? Shape{cosines.rank() == 2 ? cosines.dim(0) : -1, shape.rotary_dim / 2}
                  : Shape{shape.batch, shape.sequence, shape.rotary_dim / 2};
  if (cosines.shape() != expected || ctx.Input(2).shape() != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cos_cache [", ShapeToString(cosines.shape()), "] and sin_cache [",
        ShapeToString(ctx.Input(2).shape()), "] must be ", by_position ? "(positions, " : "(",
        by_position ? "" : absl::StrCat(shape.batch, ", ", shape.sequence, ", "),
        shape.rotary_dim / 2, ")"));
  }
  if (!by_position) {
    std::vector<int64_t> rows(static_cast<size_t>(shape.batch * shape.sequence));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  if (ctx.Input(3).shape() != Shape{shape.batch, shape.sequence}) {
    return absl::InvalidArgumentError(absl::StrCat("position_ids is ", ctx.Input(3).TypeString(),
                                                   ", not [", shape.batch, ",", shape.sequence,
                                                   "]"));
  }
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> rows, ctx.IntsInput(3));
  for (const int64_t row : rows) {
    if (row < 0 || row >= cosines.dim(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("position ", row, " is outside of the caches' ", cosines.dim(0), " rows"));
    }
  }
  return rows;
}

// RotaryEmbedding (ai.onnx 23): for every pair (a, b) of a head at position p
//   (a * cos[p] - b * sin[p], b * cos[p] + a * sin[p])
// Pairs are neighbours if interleaved, else halves of the rotated part; the rest of a head is
// copied. Row position_ids[b, s] of the caches is that of p; without position_ids the caches have a
// row for every b and s.
Kernel RotaryEmbedding(const KernelInit& node) {
  Options options;
  options.interleaved = node.Flag("interleaved");
  options.heads = node.Int("num_heads", 0);
  options.rotary_dim = node.Int("rotary_embedding_dim");
  return [options](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(const RotaryShape shape, ReadShape(x, options));
    if (x.num_elements() == 0) return ctx.SetOutput(0, std::move(x));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, CacheRows(ctx, shape));
    OC_ASSIGN_OR_RETURN(Tensor y, RotateHeads(ctx, x, shape, rows, ctx.Input(1), ctx.Input(2)));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterRotaryEmbedding(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RotaryEmbedding", {23}, RotaryEmbedding);
}

}  // namespace onnxcmp
