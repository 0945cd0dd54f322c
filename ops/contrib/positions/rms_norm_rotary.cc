#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

enum InputIndex : int { kX, kScale, kPositions, kCosine, kSine, kPrefill };

struct Options {
  float epsilon = 0;
  int64_t start = 0;
  int64_t width = 0;  // 0: the last dimension
  int64_t rotated = 0;
  bool flattens = false;
  bool decodes_in_float = true;
  DType output = DType::kBfloat16;
};

struct Layout {
  int64_t batch, sequence, heads, stride, width;
  std::vector<int64_t> positions;  // of every batch * sequence
};

absl::StatusOr<Layout> LayOut(const KernelContext& ctx, const Options& options) {
  const Tensor& x = ctx.Input(kX);
  if (x.rank() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("X is ", x.TypeString(), ", not (batch, sequence, heads, stride)"));
  }
  Layout layout = {
      x.dim(0), x.dim(1), x.dim(2), x.dim(3), options.width == 0 ? x.dim(3) : options.width, {}};
  if (options.start > layout.stride || layout.width > layout.stride - options.start ||
      options.rotated > layout.width) {
    return absl::InvalidArgumentError(
        absl::StrCat("X is ", x.TypeString(), ", but ", layout.width, " elements from ",
                     options.start, " on are to be normalized, ", options.rotated, " rotated"));
  }
  OC_RETURN_IF_ERROR(CheckShape("scale", ctx.Input(kScale), {layout.width}));
  const Tensor& cosine = ctx.Input(kCosine);
  if (cosine.rank() != 2 || cosine.dim(1) != options.rotated / 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("cosine is ", cosine.TypeString(), ", not (rows, ", options.rotated / 2, ")"));
  }
  OC_RETURN_IF_ERROR(CheckShape("sine", ctx.Input(kSine), cosine.shape()));
  const Tensor& ids = ctx.Input(kPositions);
  OC_ASSIGN_OR_RETURN(layout.positions, ctx.IntsInput(kPositions));
  const int64_t tokens = layout.batch * layout.sequence;
  if (ids.shape() != Shape{layout.batch, layout.sequence}) {
    if (ids.num_elements() != 1) {
      return absl::InvalidArgumentError(absl::StrCat("position_ids is ", ids.TypeString(),
                                                     ", not one position or those of (",
                                                     layout.batch, ", ", layout.sequence, ")"));
    }
    OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kInt64, {layout.batch, layout.sequence}));
    const int64_t first = layout.positions[0];
    layout.positions.resize(static_cast<size_t>(tokens));
    for (int64_t i = 0; i < tokens; ++i) {
      const int64_t step = options.flattens || layout.sequence == 0 ? i : i % layout.sequence;
      if (__builtin_add_overflow(first, step, &layout.positions[static_cast<size_t>(i)])) {
        return absl::InvalidArgumentError(absl::StrCat("position ", first, " is too large"));
      }
    }
  }
  for (const int64_t position : layout.positions) {
    if (position < 0 || position >= cosine.dim(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("position ", position, " is not in ", cosine.TypeString(), " of cosine"));
    }
  }
  return layout;
}

// How the reference rounds on the way.
struct Rounding {
  bool normalized;  // to bfloat16, before the rotation
  bool rotation;    // every product and sum of the rotation, to bfloat16
  bool multiplies;  // by 1 / root instead of dividing by it
};

float ToBfloat16(float x) {
  RoundElements(DType::kBfloat16, 1, &x);
  return x;
}

void Rotate(const float* cosine, const float* sine, int64_t half, bool rounds, float* y) {
  const auto round = [rounds](float x) { return rounds ? ToBfloat16(x) : x; };
  for (int64_t i = 0; i < half; ++i) {
    const float a = y[i];
    const float b = y[half + i];
    y[i] = round(round(a * cosine[i]) - round(b * sine[i]));
    y[half + i] = round(round(b * cosine[i]) + round(a * sine[i]));
  }
}

absl::Status NormalizeAndRotateHeads(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Layout layout, LayOut(ctx, options));
  bool prefill = false;
  if (ctx.HasInput(kPrefill)) {
    OC_ASSIGN_OR_RETURN(const int64_t given, ctx.ScalarInput<int64_t>(kPrefill));
    if (given != 0 && given != 1) {
      return absl::InvalidArgumentError(absl::StrCat("prefill_numerics is ", given));
    }
    prefill = given == 1;
  }
  const bool in_float = ctx.Input(kX).dtype() != DType::kBfloat16 ||
                        options.output != DType::kBfloat16 ||
                        ctx.Input(kCosine).dtype() != DType::kBfloat16;
  const Rounding rounding = {!in_float, !in_float && (prefill || !options.decodes_in_float),
                             !in_float && prefill};
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<float>(ctx, ctx.Input(kX)));
  OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<float>(ctx, ctx.Input(kScale)));
  OC_ASSIGN_OR_RETURN(const Tensor cosine, LoadTensor<float>(ctx, ctx.Input(kCosine)));
  OC_ASSIGN_OR_RETURN(const Tensor sine, LoadTensor<float>(ctx, ctx.Input(kSine)));
  const int64_t width = layout.width;
  const int64_t half = options.rotated / 2;
  OC_ASSIGN_OR_RETURN(Tensor normalized, ctx.Allocate(DType::kFloat, {layout.batch, layout.sequence,
                                                                      layout.heads, width}));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kFloat, normalized.shape()));
  const int64_t lanes = layout.batch * layout.sequence * layout.heads;
  ctx.pool().ParallelFor(lanes, [&](int64_t lane) {
    const float* from = x.data<float>() + lane * layout.stride + options.start;
    float* own = normalized.mutable_data<float>() + lane * width;
    const float inverse = RootMeanSquareOf(from, width, options.epsilon).inv_std_dev;
    const float mean_square = LaneSquaredDeviations(from, width, 0.0F) / static_cast<float>(width);
    const float root = std::sqrt(mean_square + options.epsilon);
    for (int64_t i = 0; i < width; ++i) {
      own[i] = (rounding.multiplies ? from[i] * inverse : from[i] / root) * scale.data<float>()[i];
    }
    if (rounding.normalized) RoundElements(DType::kBfloat16, width, own);
    float* to = y.mutable_data<float>() + lane * width;
    std::copy_n(own, width, to);
    const int64_t row = layout.positions[static_cast<size_t>(lane / layout.heads)] * half;
    Rotate(cosine.data<float>() + row, sine.data<float>() + row, half, rounding.rotation, to);
  });
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(normalized)));
  OC_ASSIGN_OR_RETURN(y, StoreTensor<float>(ctx, y, options.output));
  const int64_t tokens = layout.batch * layout.sequence;
  return ctx.SetOutput(0, options.flattens
                              ? y.Reshaped({1, tokens, layout.heads * width})
                              : y.Reshaped({layout.batch, layout.sequence, layout.heads * width}));
}

// RMSNormRotary (com.microsoft 1): of every head the input_width elements from input_start on,
//   n = x / sqrt(mean(x^2) + epsilon) * scale
// (normalized_fp32), then with rotary_embedding_dim = 2 h of the first elements turned,
//   (n[i] cos[i] - n[h + i] sin[i], n[h + i] cos[i] + n[i] sin[i]),
// cos and sin being the rows of the position; a single position is that of the first token, with
// flatten_batch of all batches. Where X, Y and the caches are bfloat16, n is rounded to it, and
// with prefill_numerics, or without use_fp32_arithmetic, every step of the rotation too; without
// prefill_numerics there is none. Everything else is in float and rounded once.
absl::StatusOr<Kernel> RmsNormRotary(const KernelInit& node) {
  const Options options = {.epsilon = node.Float("epsilon"),
                           .start = node.Int("input_start"),
                           .width = node.Int("input_width"),
                           .rotated = node.Int("rotary_embedding_dim"),
                           .flattens = node.Flag("flatten_batch"),
                           .decodes_in_float = node.Flag("use_fp32_arithmetic"),
                           .output = node.Flag("output_fp16") ? DType::kFloat16 : DType::kBfloat16};
  if (!(options.epsilon >= 0) || std::isinf(options.epsilon)) {
    return absl::InvalidArgumentError(absl::StrCat("epsilon is ", options.epsilon));
  }
  if (options.start < 0 || options.width < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_start is ", options.start, ", input_width ", options.width));
  }
  if (options.rotated < 2 || options.rotated % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("rotary_embedding_dim is ", options.rotated,
                                                   ", which is no positive even number"));
  }
  return [options](KernelContext& ctx) { return NormalizeAndRotateHeads(ctx, options); };
}

}  // namespace

void RegisterContribRmsNormRotary(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "RMSNormRotary", {1}, RmsNormRotary);
}

}  // namespace onnxcmp
