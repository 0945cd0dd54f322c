// A model's message as the rest of loading takes it for granted.
#ifndef ONNXCMP_EVALUATOR_LOAD_NORMALIZE_MODEL_H_
#define ONNXCMP_EVALUATOR_LOAD_NORMALIZE_MODEL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/model/model.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// Checks that there is a graph and an IR version that we read, writes "" for the domain "ai.onnx"
// everywhere, and gives attributes without a type (IR version 1 and some writers) that of their
// value.
absl::Status NormalizeModel(onnx::ModelProto* model);

// The operator sets that a (normalised) model or function imports. An error if it imports two
// versions of one.
template <typename ModelOrFunction>
absl::StatusOr<OpsetImports> ImportsOf(const ModelOrFunction& proto);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_NORMALIZE_MODEL_H_
