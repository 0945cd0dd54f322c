#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"
#include "ops/nn/lane_parameter.h"

namespace onnxcmp {
namespace {

// inv_std_dev: the type of output 1, where there is one.
template <typename C>
absl::Status Normalize(KernelContext& ctx, int axis, C epsilon, DType inv_std_dev) {
  const DType dtype = ctx.Input(1).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  LaneParameter<C> scale;
  OC_RETURN_IF_ERROR(scale.Load(ctx, 1, "scale", x.shape(), axis));
  const LaneShape lanes = LanesFrom(x.shape(), axis);
  Tensor inverses;
  C* inverse = nullptr;
  if (ctx.HasOutput(1)) {
    Shape shape = x.shape();
    std::fill(shape.begin() + axis, shape.end(), 1);
    OC_ASSIGN_OR_RETURN(inverses, ctx.Allocate(kDTypeOf<C>, shape));
    inverse = inverses.mutable_data<C>();
    std::fill_n(inverse, lanes.outer, std::numeric_limits<C>::quiet_NaN());  // of no elements
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, x.shape()));
  TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t lane, const C* from, C* to) {
    const LaneStatistics<C> of_lane = RootMeanSquareOf(from, lanes.length, epsilon);
    Standardize<C>(from, lanes.length, of_lane, scale.Row(lane), nullptr, to);
    if (inverse != nullptr) inverse[lane] = of_lane.inv_std_dev;
  });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  if (!inverses.defined()) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(inverses, StoreTensor<C>(ctx, inverses, inv_std_dev));
  return ctx.SetOutput(1, std::move(inverses));
}

// RMSNormalization (ai.onnx 23): Y = X / sqrt(mean(X^2) + epsilon) * scale over axes [axis, rank).
// Y has the type of scale. Differs from the specification as LayerNormalization does: narrow floats
// are computed in float throughout and rounded once, doubles in double whatever stash_type says.
//
// SimplifiedLayerNormalization (1 in the domain of ONNX, from onnxruntime): the same, and a second
// output, inv_std_var = 1 / sqrt(mean(X^2) + epsilon), of the type that stash_type says.
absl::StatusOr<Kernel> RmsNormalization(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  const float epsilon = node.Float("epsilon");
  const int64_t stash_type = node.Int("stash_type");
  // SimplifiedLayerNormalization: nothing but the type of inv_std_var.
  const bool simplified = node.version() < 23;
  if (!simplified && !IsStashType(stash_type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("stash_type ", stash_type, " is not a type of floats"));
  }
  const bool is_wide = stash_type == static_cast<int64_t>(DType::kFloat) ||
                       stash_type == static_cast<int64_t>(DType::kDouble);
  if (simplified && node.HasOutput(1) && !is_wide) {
    return absl::InvalidArgumentError(
        absl::StrCat("stash_type ", stash_type, " is no type of inv_std_var"));
  }
  const DType stash = is_wide ? static_cast<DType>(stash_type) : DType::kFloat;
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(axis_attribute, ctx.Input(0).rank()));
    const bool in_double =
        ctx.Input(0).dtype() == DType::kDouble || ctx.Input(1).dtype() == DType::kDouble;
    return in_double ? Normalize<double>(ctx, axis, epsilon, stash)
                     : Normalize<float>(ctx, axis, epsilon, stash);
  };
}

}  // namespace

void RegisterRmsNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RMSNormalization", {23}, RmsNormalization);
  registry.Add(kOnnxDomain, "SimplifiedLayerNormalization", {1}, RmsNormalization);
}

}  // namespace onnxcmp
