#include "evaluator/kernels/op_registry.h"
#include "ops/common/quantized/quantization.h"
#include "ops/contrib/normalization/embed_layer_norm.h"

namespace onnxcmp {
namespace {

enum Inputs {
  kWords = 2,
  kPositions = 3,
  kSegments = 4,
  kGamma = 5,
  kBeta = 6,
  kFirstScale = 8,       // of words, positions, segments, gamma, beta
  kFirstZeroPoint = 13,  // of the same
  kNoPositionIds = 18,   // an input that the operator does not have
};

// (x - zero point) * scale, both being numbers.
absl::StatusOr<Tensor> RealTable(const KernelContext& ctx, int index) {
  const int scale = index - kWords + kFirstScale;
  const int zero_point = index - kWords + kFirstZeroPoint;
  if (!ctx.HasInput(scale) || !ctx.HasInput(zero_point)) {
    return absl::InvalidArgumentError("segment_embedding needs a scale and a zero point");
  }
  OC_RETURN_IF_ERROR(ctx.ScalarInput<double>(scale).status());
  OC_RETURN_IF_ERROR(ctx.ScalarInput<double>(zero_point).status());
  return DequantizeTensor(ctx, ctx.Input(index), ctx.Input(scale), &ctx.Input(zero_point), {},
                          ctx.Input(scale).dtype());
}

// QEmbedLayerNormalization (com.microsoft 1): EmbedLayerNormalization of the real values of the
// tables, gamma and beta, with positions 0, 1, ...
Kernel QEmbedLayerNormalization(const KernelInit& node) {
  const float epsilon = node.Float("epsilon");
  return [epsilon](KernelContext& ctx) -> absl::Status {
    EmbedLayerNormTables tables;
    OC_ASSIGN_OR_RETURN(tables.words, RealTable(ctx, kWords));
    OC_ASSIGN_OR_RETURN(tables.positions, RealTable(ctx, kPositions));
    OC_ASSIGN_OR_RETURN(tables.gamma, RealTable(ctx, kGamma));
    OC_ASSIGN_OR_RETURN(tables.beta, RealTable(ctx, kBeta));
    if (ctx.HasInput(kSegments)) {
      OC_ASSIGN_OR_RETURN(tables.segments, RealTable(ctx, kSegments));
    }
    return RunEmbedLayerNorm(ctx, tables, kNoPositionIds, epsilon);
  };
}

}  // namespace

void RegisterContribQEmbedLayerNormalization(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QEmbedLayerNormalization", {1}, QEmbedLayerNormalization);
}

}  // namespace onnxcmp
