// The classic table's rows of a model that is not run (nodes mode).
#ifndef ONNXCMP_TOOLS_CLASSIC_CLASSIC_NODES_H_
#define ONNXCMP_TOOLS_CLASSIC_CLASSIC_NODES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tools/classic/classic_row.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

class ExternalData;

// Initializers (with letters), inputs, for every node a row of its own and one for each output, the
// graph's outputs. Types and shapes come from ONNX's shape inference with ONNX's own schemas, which
// changes `model`. `external`: null if it has no external data.
absl::StatusOr<std::vector<ClassicRow>> ClassicNodeRows(onnx::ModelProto& model,
                                                        ExternalData* external);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_CLASSIC_CLASSIC_NODES_H_
