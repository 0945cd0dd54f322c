#include "tools/classic/infer_shapes.h"

#include <exception>

#include "absl/strings/str_cat.h"
#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"
#include "tools/classic/checked_schemas.h"

namespace onnxcmp {

// ONNX reports what it cannot infer by exceptions.
absl::Status InferShapes(onnx::ModelProto& model, bool propagate) {
  const CheckedSchemas schemas;
  try {
    onnx::shape_inference::InferShapes(
        model, &schemas,
        onnx::ShapeInferenceOptions(/*check_type_val=*/false, /*strict_mode_val=*/0,
                                    /*data_prop_val=*/propagate));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape inference does not accept the model: ", error.what()));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
