#include "ops/math/softmax_family.h"

#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {

Kernel SoftmaxFamilyKernel(const KernelInit& node, const LaneFunctions& functions) {
  const int64_t axis_attribute = node.Int("axis");
  const bool coerced = node.version() < 13;
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(axis_attribute, x.rank()));
    const LaneShape lanes = coerced ? LanesFrom(x.shape(), axis) : LanesAlong(x.shape(), axis);
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
    const int64_t count = lanes.length;
    if (ComputeClassOf(x.dtype()) == ComputeClass::kDouble) {
      TransformLanes<double>(ctx.pool(), x, lanes, y, [&](int64_t, const double* from, double* to) {
        functions.of_double(from, count, to);
      });
    } else {
      TransformLanes<float>(ctx.pool(), x, lanes, y, [&](int64_t, const float* from, float* to) {
        functions.of_float(from, count, to);
      });
    }
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace onnxcmp
