// Weights and biases as they are after the normalization behind a layer was folded into it. A
// quantizer most often does that first.
#ifndef ONNXCMP_COMPARE_INSIDE_FOLDED_WEIGHTS_H_
#define ONNXCMP_COMPARE_INSIDE_FOLDED_WEIGHTS_H_

#include <string>
#include <vector>

#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct FoldedWeight {
  std::string of;  // the layer's weight, a constant of the model
  Tensor value;
};

// The weights of layers in float32 whose only reader is a BatchNormalization with constants.
std::vector<FoldedWeight> FoldedWeightsOf(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_FOLDED_WEIGHTS_H_
