#include "tools/parts/infer_shapes.h"

#include <algorithm>
#include <cstdint>
#include <exception>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"
#include "tools/parts/checked_schemas.h"

namespace onnxcmp {
namespace {

// ONNX makes a message of each element of a vector that it follows, known or not.
constexpr int64_t kMostFollowed = 1 << 16;

bool IsLongVector(const onnx::ValueInfoProto& value) {
  const onnx::TensorShapeProto& shape = value.type().tensor_type().shape();
  return shape.dim_size() == 1 && shape.dim(0).dim_value() > kMostFollowed;
}

bool HasLongVector(const onnx::GraphProto& graph) {
  for (const auto* values : {&graph.input(), &graph.value_info(), &graph.output()}) {
    if (std::any_of(values->begin(), values->end(), IsLongVector)) return true;
  }
  const auto in_body = [](const onnx::AttributeProto& attribute) {
    return attribute.has_g() && HasLongVector(attribute.g());
  };
  return std::any_of(graph.node().begin(), graph.node().end(), [&](const onnx::NodeProto& node) {
    return std::any_of(node.attribute().begin(), node.attribute().end(), in_body);
  });
}

// ONNX reports what it cannot infer by exceptions.
absl::Status InferOnce(const CheckedSchemas& schemas, bool propagate, bool strict,
                       onnx::ModelProto& model) {
  try {
    onnx::shape_inference::InferShapes(
        model, &schemas,
        onnx::ShapeInferenceOptions(/*check_type_val=*/strict, /*strict_mode_val=*/strict ? 1 : 0,
                                    /*data_prop_val=*/propagate));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape inference does not accept the model: ", error.what()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InferShapes(onnx::ModelProto& model, bool propagate, bool strict,
                         const onnx::ISchemaRegistry& base) {
  const CheckedSchemas schemas(base);
  OC_RETURN_IF_ERROR(InferOnce(schemas, /*propagate=*/false, strict, model));
  if (!propagate || HasLongVector(model.graph())) return absl::OkStatus();
  return InferOnce(schemas, /*propagate=*/true, strict, model);
}

absl::Status InferShapes(onnx::ModelProto& model, bool propagate) {
  return InferShapes(model, propagate, /*strict=*/false, *onnx::OpSchemaRegistry::Instance());
}

}  // namespace onnxcmp
