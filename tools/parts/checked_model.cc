#include "tools/parts/checked_model.h"

#include <exception>

#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "onnx/checker.h"
#include "tools/parts/infer_shapes.h"

namespace onnxcmp {
namespace {

// ONNX reports what it finds by exceptions.
absl::Status RunChecker(const onnx::ModelProto& model) {
  try {
    onnx::checker::check_model(model);
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("ONNX's checker: ", OneLine(error.what())));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InferTypes(const OpRegistry& registry, bool strict, onnx::ModelProto* model) {
  const absl::Status inferred = InferShapes(*model, /*propagate=*/true, strict, registry.schemas());
  return inferred.ok() ? inferred : absl::InvalidArgumentError(OneLine(inferred.message()));
}

OnnxChecks ChecksPassedBy(const OpRegistry& registry, const onnx::ModelProto& model) {
  onnx::ModelProto copy = model;
  return {RunChecker(model).ok(), InferTypes(registry, /*strict=*/true, &copy).ok()};
}

absl::Status CheckModel(const OpRegistry& registry, const OnnxChecks& checks,
                        const onnx::ModelProto& model) {
  if (checks.checker) OC_RETURN_IF_ERROR(RunChecker(model));
  if (!checks.inference) return absl::OkStatus();
  onnx::ModelProto copy = model;
  return InferTypes(registry, /*strict=*/true, &copy);
}

}  // namespace onnxcmp
