#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/rotate_heads.h"

namespace onnxcmp {
namespace {

struct Options {
  bool interleaved = false;
  int64_t num_heads = 0;
  int64_t rotary_dim = 0;  // 0: the whole head
};

struct Sizes : RotaryShape {
  int64_t positions = 0;  // rows of the caches
};

absl::StatusOr<Sizes> CheckShapes(const Tensor& x, const Tensor& position_ids,
                                  const Tensor& cosines, const Tensor& sines,
                                  const Options& options) {
  if (cosines.rank() != 2 || sines.shape() != cosines.shape()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cos_cache [", ShapeToString(cosines.shape()), "] and sin_cache [",
        ShapeToString(sines.shape()), "] must be of one shape (positions, rotary dimension / 2)"));
  }
  Sizes sizes;
  sizes.interleaved = options.interleaved;
  sizes.positions = cosines.dim(0);
  const int64_t half = cosines.dim(1);
  if (x.rank() == 4) {
    sizes.heads_first = true;
    sizes.batch = x.dim(0);
    sizes.heads = x.dim(1);
    sizes.sequence = x.dim(2);
    sizes.head_size = x.dim(3);
  } else if (x.rank() == 3) {
    const int64_t hidden = x.dim(2);
    sizes.batch = x.dim(0);
    sizes.sequence = x.dim(1);
    if (options.rotary_dim == 0) {
      // The caches say how large a head is; num_heads has no say, as in onnxruntime.
      sizes.head_size = half <= hidden ? 2 * half : 0;
    } else if (options.num_heads > 0) {
      sizes.head_size = hidden / options.num_heads;
    } else {
      return absl::InvalidArgumentError("rotary_embedding_dim needs num_heads");
    }
    if (sizes.head_size <= 0 || hidden % sizes.head_size != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a hidden size of ", hidden, " does not make heads for caches of ", half, " columns"));
    }
    sizes.heads = hidden / sizes.head_size;
  } else {
    return absl::InvalidArgumentError(absl::StrCat("input has rank ", x.rank(), ", not 3 or 4"));
  }
  sizes.rotary_dim = options.rotary_dim == 0 ? sizes.head_size : options.rotary_dim;
  if (sizes.rotary_dim < 0 || sizes.rotary_dim > sizes.head_size || sizes.rotary_dim % 2 != 0 ||
      sizes.rotary_dim / 2 != half) {
    return absl::InvalidArgumentError(absl::StrCat("caches of ", half, " columns do not rotate ",
                                                   sizes.rotary_dim, " elements of a head of ",
                                                   sizes.head_size));
  }
  if (position_ids.shape() != Shape{1} &&
      position_ids.shape() != Shape{sizes.batch, sizes.sequence}) {
    return absl::InvalidArgumentError(
        absl::StrCat("position_ids has shape [", ShapeToString(position_ids.shape()),
                     "], not [1] or [", sizes.batch, "x", sizes.sequence, "]"));
  }
  return sizes;
}

// The position of every (batch, sequence), inside the caches.
absl::StatusOr<std::vector<int64_t>> Positions(const KernelContext& ctx, const Sizes& sizes) {
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> given, ctx.IntsInput(1));
  const bool is_offset = ctx.Input(1).rank() == 1;
  std::vector<int64_t> positions;
  for (int64_t b = 0; b < sizes.batch; ++b) {
    for (int64_t s = 0; s < sizes.sequence; ++s) {
      const int64_t base = given[static_cast<size_t>(is_offset ? 0 : b * sizes.sequence + s)];
      if (base < 0 || base >= sizes.positions || (is_offset && base + s >= sizes.positions)) {
        return absl::InvalidArgumentError(
            absl::StrCat("position ", base, is_offset ? absl::StrCat(" + ", s) : "",
                         " is outside of the caches' ", sizes.positions, " rows"));
      }
      positions.push_back(is_offset ? base + s : base);
    }
  }
  return positions;
}

absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(Sizes sizes,
                      CheckShapes(x, ctx.Input(1), ctx.Input(2), ctx.Input(3), options));
  if (x.num_elements() == 0) return ctx.SetOutput(0, std::move(x));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> positions, Positions(ctx, sizes));
  OC_ASSIGN_OR_RETURN(Tensor y, RotateHeads(ctx, x, sizes, positions, ctx.Input(2), ctx.Input(3)));
  return ctx.SetOutput(0, std::move(y));
}

// RotaryEmbedding (com.microsoft 1): for every pair (a, b) of a head at position p
//   (a * cos[p] - b * sin[p], b * cos[p] + a * sin[p])
// Pairs are neighbours if interleaved, else halves of the rotated part; the rest of a head is
// copied. position_ids is (B, S), or one number to count from. `scale` and
// is_packed_batching have no effect, as in onnxruntime on a CPU.
Kernel RotaryEmbedding(const KernelInit& node) {
  Options options;
  options.interleaved = node.Int("interleaved", 0) != 0;
  options.num_heads = node.Int("num_heads", 0);
  options.rotary_dim = node.Int("rotary_embedding_dim", 0);
  node.Ignore("scale");
  node.Ignore("is_packed_batching");
  return [options](KernelContext& ctx) { return Run(ctx, options); };
}

}  // namespace

void RegisterContribRotaryEmbedding(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "RotaryEmbedding", {1}, RotaryEmbedding);
}

}  // namespace onnxcmp
