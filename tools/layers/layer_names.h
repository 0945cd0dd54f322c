// Parses the names of TensorRT's layers.
#ifndef ONNXCMP_TOOLS_LAYERS_LAYER_NAMES_H_
#define ONNXCMP_TOOLS_LAYERS_LAYER_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "tools/layers/layer_listing.h"

namespace onnxcmp {

// Nodes and regions of a name: "conv1 + PWN(relu1)", "a
// b", "q/MatMul+k/MatMul_myl0_1", "{ForeignNode[a + b...c]}". None for a copy ("Reformatting
// CopyNode for Input Tensor 0 to conv1", "x copy").
void ReadLayerName(absl::string_view name, EngineLayer* layer);

// The names of a layer's metadata, "[ONNX Layer: a][ONNX Layer: b]", with any text between.
std::vector<std::string> NodesOfMetadata(absl::string_view metadata);

// "Half", "Row major linear FP16 format", "Thirty-two wide channel vectorized row major Int8
// format".
DType DTypeOfFormat(absl::string_view format);

// Splits at separators outside brackets.
std::vector<absl::string_view> SplitOutsideBrackets(absl::string_view text,
                                                    absl::string_view separator);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_LAYERS_LAYER_NAMES_H_
