// Types and shapes of a message's values by ONNX's inference.
#ifndef ONNXCMP_TOOLS_PARTS_INFER_SHAPES_H_
#define ONNXCMP_TOOLS_PARTS_INFER_SHAPES_H_

#include "absl/status/status.h"

namespace onnx {
class ISchemaRegistry;
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// Adds what ONNX's own schemas know to the value_info of the graph and its subgraphs. `propagate`:
// shapes that are computed by nodes (Shape, Gather, Concat, ...) are followed too, unless the
// model has vectors so long that ONNX would need gigabytes for it. What was found before an error
// stays in the model.
absl::Status InferShapes(onnx::ModelProto& model, bool propagate);

// The same with other schemas. `strict`: contradictions are errors.
absl::Status InferShapes(onnx::ModelProto& model, bool propagate, bool strict,
                         const onnx::ISchemaRegistry& base);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_PARTS_INFER_SHAPES_H_
