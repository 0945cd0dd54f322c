#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

// The elements as dimensions.
absl::StatusOr<Shape> ShapeFrom(const KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor input, ctx.ContiguousInput(0));
  if (input.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("an input that is a shape must be a vector, not ", input.TypeString()));
  }
  Shape shape;
  for (int64_t i = 0; i < input.num_elements(); ++i) {
    double dim = 0;
    LoadElements(input.dtype(), input.raw_data(), i, 1, &dim);
    if (!(dim >= 0 && dim < 9e15 && dim == std::floor(dim))) {
      return absl::InvalidArgumentError(absl::StrCat("the input holds ", dim, " as a dimension"));
    }
    shape.push_back(static_cast<int64_t>(dim));
  }
  return shape;
}

// GivenTensorFill (ai.onnx 1, experimental, removed in 10; no CPU kernel in onnxruntime): `values`
// in a tensor of the attribute's shape, or of the input's shape, or with input_as_shape of the
// shape that the input holds; to these two extra_shape is appended. As Caffe2, where the operator
// is from, has it. Without an input, which has the type, the output is float.
absl::StatusOr<Kernel> GivenTensorFill(const KernelInit& node) {
  const std::vector<float> values = node.Floats("values");
  const std::vector<int64_t> attribute = node.Ints("shape");
  const std::vector<int64_t> extra = node.Ints("extra_shape");
  const bool input_as_shape = node.Int("input_as_shape", 0) != 0;
  if (node.HasInput(0) ? node.Has("shape") : input_as_shape || !extra.empty()) {
    return absl::InvalidArgumentError(
        node.HasInput(0) ? "shape is given beside an input"
                         : "extra_shape or input_as_shape is given without an input");
  }
  return [=](KernelContext& ctx) -> absl::Status {
    Shape shape(attribute.begin(), attribute.end());
    DType dtype = DType::kFloat;
    if (ctx.HasInput(0)) {
      dtype = ctx.Input(0).dtype();
      shape = ctx.Input(0).shape();
      if (input_as_shape) {
        OC_ASSIGN_OR_RETURN(shape, ShapeFrom(ctx));
      }
      shape.insert(shape.end(), extra.begin(), extra.end());
    }
    if (NumElements(shape) != std::optional(static_cast<int64_t>(values.size()))) {
      return absl::InvalidArgumentError(
          absl::StrCat(values.size(), " values do not fill a shape of ", ShapeToString(shape)));
    }
    OC_ASSIGN_OR_RETURN(Tensor filled, ctx.Allocate(dtype, shape));
    StoreElements(dtype, values.data(), filled.num_elements(), filled.mutable_raw_data(), 0);
    return ctx.SetOutput(0, std::move(filled));
  };
}

}  // namespace

void RegisterLegacyGivenTensorFill(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GivenTensorFill", {1}, GivenTensorFill);
}

}  // namespace onnxcmp
