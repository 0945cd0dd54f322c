// How deep the graphs and types of a message are nested.
#ifndef ONNXCMP_EVALUATOR_LOAD_NESTING_H_
#define ONNXCMP_EVALUATOR_LOAD_NESTING_H_

#include "absl/status/status.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// ResourceExhausted, and where, if subgraphs are nested deeper than `max_depth`, or types deeper
// than any that is in use.
absl::Status CheckNesting(const onnx::ModelProto& model, int max_depth);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_NESTING_H_
