// The places where ONNX's own code reads a model. It throws; nothing passes from here.
#ifndef ONNXCMP_EVALUATOR_LOAD_ONNX_LIBRARY_H_
#define ONNXCMP_EVALUATOR_LOAD_ONNX_LIBRARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"

namespace onnx {
class FunctionProto;
class ModelProto;
class NodeProto;
class TypeProto;
}  // namespace onnx

namespace onnxcmp {

// ONNX's text form. The caller has bounded the nesting: the parser recurses.
absl::Status ParseOnnxText(const std::string& text, onnx::ModelProto* model);

// The first finding of ONNX's checker in the main graph, "" if there is none. Tensors must have
// been checked before. `model` is as before when this returns.
std::string CheckWithOnnx(onnx::ModelProto* model, const OpsetImports& imports,
                          const OpRegistry& registry);

// The body that ONNX's schema of a node's operator builds for it, given the types of its inputs
// (without a value: not known). False if it has none for this node.
absl::StatusOr<bool> BuildBodyWithOnnx(const onnx::OpSchema& schema, const onnx::NodeProto& node,
                                       const std::vector<onnx::TypeProto>& input_types,
                                       int64_t opset_version, onnx::FunctionProto* body);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_ONNX_LIBRARY_H_
