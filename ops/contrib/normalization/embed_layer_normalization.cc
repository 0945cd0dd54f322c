#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/normalization/embed_layer_norm.h"

namespace onnxcmp {
namespace {

enum Inputs { kWords = 2, kPositions, kSegments, kGamma, kBeta, kPositionIds = 8 };

// EmbedLayerNormalization (com.microsoft 1):
//   embedding_sum = word_embedding[input_ids] + position_embedding[position_ids]
//                 + segment_embedding[segment_ids]
//   output = LayerNormalization(embedding_sum) * gamma + beta
//   mask_index[b] = number of ones in mask[b], 0 without a mask
// position_ids are 0, 1, ... by default; (1, S) repeats over the batch. Without segment_ids all are
// 0 if there is a segment_embedding. Narrow floats are computed in float: the sum is normalized
// unrounded.
Kernel EmbedLayerNormalization(const KernelInit& node) {
  const float epsilon = node.Float("epsilon");
  node.Ignore("mask_index_type");  // for type inference: whether there is a mask_index
  return [epsilon](KernelContext& ctx) {
    EmbedLayerNormTables tables = {.words = ctx.Input(kWords),
                                   .positions = ctx.Input(kPositions),
                                   .segments = {},
                                   .gamma = ctx.Input(kGamma),
                                   .beta = ctx.Input(kBeta)};
    if (ctx.HasInput(kSegments)) tables.segments = ctx.Input(kSegments);
    return RunEmbedLayerNorm(ctx, tables, kPositionIds, epsilon);
  };
}

}  // namespace

void RegisterContribEmbedLayerNormalization(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "EmbedLayerNormalization", {1}, EmbedLayerNormalization);
}

}  // namespace onnxcmp
