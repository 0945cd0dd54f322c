#include <cmath>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/softmax.h"
#include "ops/common/shapes/axes.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kXZero, kYScale, kYZero };

// QLinearSoftmax (com.microsoft 1): the softmax of the real values along `axis` or, if `opset` is
// below 13, over all axes from `axis` on. As onnxruntime, it is not divided by y_scale but
// multiplied with floor(1 / y_scale); with 1 / 256, as the quantizer sets it, that is the same.
absl::StatusOr<Kernel> QLinearSoftmax(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  const int64_t opset = node.Int("opset");
  if (opset < 1) {
    return absl::InvalidArgumentError(absl::StrCat("opset is ", opset));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {kX, kXScale, kXZero}));
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_attribute, x.rank()));
    const LaneShape lanes = opset < 13 ? LanesFrom(x.shape(), axis) : LanesAlong(x.shape(), axis);
    OC_ASSIGN_OR_RETURN(const float y_scale, ctx.ScalarInput<float>(kYScale));
    const double correction = std::floor(1.0f / y_scale) * double{y_scale};
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, x.shape()));
    TransformLanes<double>(ctx.pool(), x, lanes, y, [&](int64_t, const double* from, double* to) {
      SoftmaxLane(from, lanes.length, to);
      for (int64_t i = 0; i < lanes.length; ++i) to[i] *= correction;
    });
    return EmitQuantized(ctx, y, {kYScale, kYZero}, ctx.Input(kX).dtype());
  };
}

}  // namespace

void RegisterContribQLinearSoftmax(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearSoftmax", {1}, QLinearSoftmax);
}

}  // namespace onnxcmp
