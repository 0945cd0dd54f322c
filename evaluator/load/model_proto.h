// Models back to ONNX's message, for those that are put together from parts of a loaded one.
#ifndef ONNXCMP_EVALUATOR_LOAD_MODEL_PROTO_H_
#define ONNXCMP_EVALUATOR_LOAD_MODEL_PROTO_H_

#include "absl/status/status.h"
#include "evaluator/model/model.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// The model as a message that LoadModel() makes the same computation of. What a message cannot say
// of single nodes becomes local functions:
// - The message imports the version of each domain that most of its nodes are from. A node whose
//   operator is another one there (functions that were inlined had imports of their own) becomes a
//   call of a function of the domain "onnxcmp" that holds it and imports its version.
// - A kept call of a local function (Node::body) becomes a call again. Calls that bind other
//   attributes have bodies of their own, and so functions called NAME_2, NAME_3, ...
//
// ResourceExhausted for a tensor over 2 GB.
absl::Status ModelToProto(const Model& model, onnx::ModelProto* proto);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_MODEL_PROTO_H_
