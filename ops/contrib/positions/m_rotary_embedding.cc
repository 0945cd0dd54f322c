#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/rotate_heads.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kPositions, kCosines, kSines };

struct Options {
  bool interleaved = false;
  int64_t num_heads = 0;
  int64_t rotary_dim = 0;           // 0: the whole head
  std::vector<int64_t> sections;    // pairs that turn by time, height, width
  bool sections_alternate = false;  // mrope_layout 1
  float scale = 1;
};

absl::StatusOr<RotaryShape> CheckShapes(const KernelContext& ctx, const Options& options) {
  const Tensor& x = ctx.Input(kInput);
  const Tensor& cosines = ctx.Input(kCosines);
  RotaryShape shape;
  shape.interleaved = options.interleaved;
  if (x.rank() == 4) {
    shape.heads_first = true;
    shape.batch = x.dim(0);
    shape.heads = x.dim(1);
    shape.sequence = x.dim(2);
    shape.head_size = x.dim(3);
  } else if (x.rank() == 3) {
    if (options.num_heads < 1 || x.dim(2) % options.num_heads != 0) {
      return absl::InvalidArgumentError(absl::StrCat("a hidden size of ", x.dim(2), " is not ",
                                                     options.num_heads, " heads (num_heads)"));
    }
    shape.batch = x.dim(0);
    shape.sequence = x.dim(1);
    shape.heads = options.num_heads;
    shape.head_size = x.dim(2) / options.num_heads;
  } else {
    return absl::InvalidArgumentError(absl::StrCat("input has rank ", x.rank(), ", not 3 or 4"));
  }
  shape.rotary_dim = options.rotary_dim == 0 ? shape.head_size : options.rotary_dim;
  const int64_t half = shape.rotary_dim / 2;
  if (shape.rotary_dim < 0 || shape.rotary_dim > shape.head_size || shape.rotary_dim % 2 != 0 ||
      cosines.rank() != 2 || cosines.dim(1) != half ||
      ctx.Input(kSines).shape() != cosines.shape()) {
    return absl::InvalidArgumentError(
        absl::StrCat("cos_cache [", ShapeToString(cosines.shape()), "] and sin_cache [",
                     ShapeToString(ctx.Input(kSines).shape()), "] do not rotate ", shape.rotary_dim,
                     " elements of a head of ", shape.head_size));
  }
  if (ctx.Input(kPositions).shape() != Shape{3, shape.batch, shape.sequence}) {
    return absl::InvalidArgumentError(
        absl::StrCat("position_ids has shape [", ShapeToString(ctx.Input(kPositions).shape()),
                     "], not [3x", shape.batch, "x", shape.sequence, "]"));
  }
  // Each section is at most the half, so no sum overflows.
  int64_t pairs = 0;
  for (int64_t section : options.sections) pairs += section <= half ? section : half + 1;
  if (pairs != half) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sections of mrope_section are not ", half, " pairs in all"));
  }
  return shape;
}

// The one of the three positions that turns each pair.
std::vector<size_t> StreamOfPairs(const Options& options, int64_t half) {
  std::vector<size_t> streams(static_cast<size_t>(half), 0);
  for (int64_t i = 0; i < half; ++i) {
    size_t& stream = streams[static_cast<size_t>(i)];
    if (options.sections_alternate) {
      const auto turn = static_cast<size_t>(i % 3);
      if (turn != 0 && i < 3 * options.sections[turn]) stream = turn;
    } else {
      if (i >= options.sections[0]) stream = 1;
      if (i >= options.sections[0] + options.sections[1]) stream = 2;
    }
  }
  return streams;
}

// One row for each token, made of the cache's rows of the token's three positions.
template <typename C>
absl::StatusOr<Tensor> RowsOfTokens(const KernelContext& ctx, const Tensor& given,
                                    absl::Span<const int64_t> positions,
                                    absl::Span<const size_t> streams, float scale) {
  OC_ASSIGN_OR_RETURN(const Tensor cache, LoadTensor<C>(ctx, given));
  const size_t tokens = positions.size() / 3;
  const auto half = static_cast<int64_t>(streams.size());
  OC_ASSIGN_OR_RETURN(Tensor rows, ctx.Allocate(kDTypeOf<C>, {static_cast<int64_t>(tokens), half}));
  C* out = rows.mutable_data<C>();
  for (size_t token = 0; token < tokens; ++token) {
    for (int64_t i = 0; i < half; ++i) {
      const int64_t position = positions[streams[static_cast<size_t>(i)] * tokens + token];
      *out++ = cache.data<C>()[position * half + i] * static_cast<C>(scale);
    }
  }
  return rows;
}

absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const RotaryShape shape, CheckShapes(ctx, options));
  OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(kInput));
  if (x.num_elements() == 0) return ctx.SetOutput(0, std::move(x));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> positions, ctx.IntsInput(kPositions));
  const int64_t limit = ctx.Input(kCosines).dim(0);
  for (int64_t position : positions) {
    if (position < 0 || position >= limit) {
      return absl::InvalidArgumentError(
          absl::StrCat("position ", position, " is outside of the caches' ", limit, " rows"));
    }
  }
  const std::vector<size_t> streams = StreamOfPairs(options, shape.rotary_dim / 2);
  std::vector<int64_t> tokens(positions.size() / 3);
  std::iota(tokens.begin(), tokens.end(), 0);
  return DispatchFloat(x.dtype(), [&]<typename C>() -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor cosines, RowsOfTokens<C>(ctx, ctx.Input(kCosines), positions,
                                                              streams, options.scale));
    OC_ASSIGN_OR_RETURN(const Tensor sines,
                        RowsOfTokens<C>(ctx, ctx.Input(kSines), positions, streams, options.scale));
    OC_ASSIGN_OR_RETURN(Tensor y, RotateHeads(ctx, x, shape, tokens, cosines, sines));
    return ctx.SetOutput(0, std::move(y));
  });
}

// MRotaryEmbedding (com.microsoft 1): RotaryEmbedding where a token has three positions (time,
// height, width) and mrope_section says which pairs turn by which: in mrope_layout 0 the first
// section[0] by time, the next section[1] by height, the last section[2] by width; in layout 1 pair
// i turns by height if i % 3 == 1 and i < 3 * section[1], by width if i % 3 == 2 and i < 3 *
// section[2], else by time. The rotated part is multiplied by `scale`.
absl::StatusOr<Kernel> MRotaryEmbedding(const KernelInit& node) {
  Options options;
  options.interleaved = node.Int("interleaved", 0) != 0;
  options.num_heads = node.Int("num_heads", 0);
  options.rotary_dim = node.Int("rotary_embedding_dim", 0);
  options.sections = node.Ints("mrope_section");
  options.scale = node.Float("scale", 1);
  node.Ignore("is_packed_batching");  // positions say all
  const int64_t layout = node.Int("mrope_layout", 0);
  options.sections_alternate = layout == 1;
  if (layout != 0 && layout != 1) {
    return absl::InvalidArgumentError(absl::StrCat("mrope_layout ", layout, " is neither 0 nor 1"));
  }
  bool valid = options.sections.size() == 3;
  for (int64_t section : options.sections) valid = valid && section >= 0;
  if (!valid) {
    return absl::InvalidArgumentError("mrope_section is not three sizes");
  }
  return [options](KernelContext& ctx) { return Run(ctx, options); };
}

}  // namespace

void RegisterContribMRotaryEmbedding(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MRotaryEmbedding", {1}, MRotaryEmbedding);
}

}  // namespace onnxcmp
