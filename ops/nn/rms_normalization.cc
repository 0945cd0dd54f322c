#include <cmath>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/axes.h"
#include "ops/common/lane_parameter.h"
#include "ops/common/lanes.h"
#include "ops/common/layer_norm.h"
#include "ops/common/load_store.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Normalize(KernelContext& ctx, int axis, C epsilon) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  const DType dtype = ctx.Input(1).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  LaneParameter<C> scale;
  OC_RETURN_IF_ERROR(scale.Load(ctx, 1, "scale", x.shape(), axis));
  const LaneShape lanes = LanesFrom(x.shape(), axis);
  const int64_t length = lanes.length;
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, x.shape()));
  TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t lane, const C* from, C* to) {
    const C mean_square = LaneSquaredDeviations(from, length, C{0}) / static_cast<C>(length);
    const C inverse = C{1} / std::sqrt(mean_square + epsilon);
    Lane(to, length) = ConstLane(from, length) * inverse * ConstLane(scale.Row(lane), length);
  });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// RMSNormalization (ai.onnx 23): Y = X / sqrt(mean(X^2) + epsilon) * scale over axes [axis, rank).
// Y has the type of scale. Differs from the specification as LayerNormalization does: narrow floats
// are computed in float throughout and rounded once, doubles in double whatever stash_type says.
Kernel RmsNormalization(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  const float epsilon = node.Float("epsilon");
  const int64_t stash_type = node.Int("stash_type");
  if (!IsStashType(stash_type)) {
    return node.Fail(absl::InvalidArgumentError(
        absl::StrCat("stash_type ", stash_type, " is not a type of floats")));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(axis_attribute, ctx.Input(0).rank()));
    const bool in_double =
        ctx.Input(0).dtype() == DType::kDouble || ctx.Input(1).dtype() == DType::kDouble;
    return in_double ? Normalize<double>(ctx, axis, epsilon) : Normalize<float>(ctx, axis, epsilon);
  };
}

}  // namespace

void RegisterRmsNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RMSNormalization", {23}, RmsNormalization);
}

}  // namespace onnxcmp
