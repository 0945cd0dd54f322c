// Checks of the shapes of operators' inputs.
#ifndef ONNXCMP_OPS_COMMON_SHAPES_CHECK_SHAPE_H_
#define ONNXCMP_OPS_COMMON_SHAPES_CHECK_SHAPE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// InvalidArgument, "NAME has shape [2x3], not [2x4]", unless the tensor has the shape.
inline absl::Status CheckShape(absl::string_view name, const Tensor& tensor,
                               absl::Span<const int64_t> shape) {
  if (absl::MakeConstSpan(tensor.shape()) == shape) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, " has shape [", ShapeToString(tensor.shape()), "], not [", ShapeToString(shape), "]"));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_SHAPES_CHECK_SHAPE_H_
