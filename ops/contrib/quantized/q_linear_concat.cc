#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/concat.h"
#include "ops/common/shapes/axes.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearConcat (com.microsoft 1): the real values of all inputs, in float, along `axis`, with the
// scale and zero point of Y. Inputs: Y_scale, Y_zero_point, then (x, x_scale, x_zero_point) of each
// part.
Kernel QLinearConcat(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  return [=](KernelContext& ctx) -> absl::Status {
    const int inputs = ctx.num_inputs();
    if (inputs < 5 || (inputs - 2) % 3 != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          inputs,
          " inputs are not Y_scale, Y_zero_point and x, x_scale, x_zero_point of each part"));
    }
    const DType dtype = ctx.Input(1).dtype();
    std::vector<Tensor> parts;
    for (int i = 2; i < inputs; i += 3) {
      OC_ASSIGN_OR_RETURN(const Tensor values, ctx.TensorInput(i));
      OC_ASSIGN_OR_RETURN(const Tensor scale, ctx.TensorInput(i + 1));
      if (values.dtype() != dtype || !IsFloatingPoint(scale.dtype())) {
        return absl::InvalidArgumentError(
            absl::StrCat("inputs ", i, " and ", i + 1, " are ", values.TypeString(), " and ",
                         scale.TypeString(), ", not ", DTypeName(dtype), " with a float scale"));
      }
      OC_ASSIGN_OR_RETURN(const Tensor real, RealInput(ctx, {i, i + 1, i + 2}, DType::kFloat));
      OC_ASSIGN_OR_RETURN(Tensor part, QuantizedResult(ctx, real, {0, 1}, dtype));
      parts.push_back(std::move(part));
    }
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_attribute, parts[0].rank()));
    OC_ASSIGN_OR_RETURN(Tensor y, Concatenated(ctx, parts, axis));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribQLinearConcat(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearConcat", {1}, QLinearConcat);
}

}  // namespace onnxcmp
