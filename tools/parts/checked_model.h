// Models that ONNX's checker and its shape inference accept.
#ifndef ONNXCMP_TOOLS_PARTS_CHECKED_MODEL_H_
#define ONNXCMP_TOOLS_PARTS_CHECKED_MODEL_H_

#include "absl/status/status.h"
#include "evaluator/kernels/op_registry.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {

// Adds types and shapes. `strict`: contradictions are InvalidArgument, else they are passed over.
absl::Status InferTypes(const OpRegistry& registry, bool strict, onnx::ModelProto* model);

// ONNX's checks that a model passes: models that are made from it are held to these.
struct OnnxChecks {
  bool checker = true;
  bool inference = true;
};
OnnxChecks ChecksPassedBy(const OpRegistry& registry, const onnx::ModelProto& model);

// InvalidArgument, with the finding, unless the model passes these checks.
absl::Status CheckModel(const OpRegistry& registry, const OnnxChecks& checks,
                        const onnx::ModelProto& model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_PARTS_CHECKED_MODEL_H_
