// The two places where ONNX's own code reads a model. It throws; nothing passes from here.
#ifndef ONNXCMP_EVALUATOR_ONNX_LIBRARY_H_
#define ONNXCMP_EVALUATOR_ONNX_LIBRARY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/model.h"
#include "evaluator/op_registry.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// ONNX's text form. The caller has bounded the nesting: the parser recurses.
absl::Status ParseOnnxText(const std::string& text, onnx::ModelProto* model);

// What ONNX's checker finds in the main graph, "" if nothing. It stops at its first finding.
// Tensors must have been checked before. `model` is as before when this returns.
std::string CheckWithOnnx(onnx::ModelProto* model, const OpsetImports& imports,
                          const OpRegistry& registry);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_ONNX_LIBRARY_H_
