// EmbedLayerNormalization with tables that may be quantized.
#ifndef ONNXCMP_OPS_CONTRIB_NORMALIZATION_EMBED_LAYER_NORM_H_
#define ONNXCMP_OPS_CONTRIB_NORMALIZATION_EMBED_LAYER_NORM_H_

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct EmbedLayerNormTables {
  Tensor words;
  Tensor positions;
  Tensor segments;  // undefined if there are none
  Tensor gamma;
  Tensor beta;
};

// Sets the outputs: the normalized sum of the rows of the tables, of their type; how many elements
// of each row of the mask are 1, 0 without a mask; the sum. Inputs 0, 1 and 7 are the ids of words
// and of segments (all 0 if they are left out), and the mask; `position_ids` is the input that has
// them (0, 1, ... if it is left out).
absl::Status RunEmbedLayerNorm(KernelContext& ctx, const EmbedLayerNormTables& tables,
                               int position_ids, float epsilon);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_NORMALIZATION_EMBED_LAYER_NORM_H_
