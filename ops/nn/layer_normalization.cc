#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/shapes/axes.h"
#include "ops/nn/lane_parameter.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Normalize(KernelContext& ctx, int axis, C epsilon, DType stash) {
  OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
  const LaneShape lanes = LanesFrom(x.shape(), axis);
  LaneParameter<C> scale;
  OC_RETURN_IF_ERROR(scale.Load(ctx, 1, "Scale", x.shape(), axis));
  LaneParameter<C> bias;
  if (ctx.HasInput(2)) {
    OC_RETURN_IF_ERROR(bias.Load(ctx, 2, "B", x.shape(), axis));
  }
  Shape statistics_shape = x.shape();
  std::fill(statistics_shape.begin() + axis, statistics_shape.end(), 1);
  Tensor statistics[2];  // Mean and InvStdDev, where wanted; of no elements they are NaN
  C* statistics_data[2] = {nullptr, nullptr};
  for (int i = 0; i < 2; ++i) {
    if (ctx.HasOutput(i + 1)) {
      OC_ASSIGN_OR_RETURN(statistics[i], ctx.Allocate(kDTypeOf<C>, statistics_shape));
      statistics_data[i] = statistics[i].mutable_data<C>();
      std::fill_n(statistics_data[i], lanes.outer, std::numeric_limits<C>::quiet_NaN());
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t lane, const C* from, C* to) {
    const LaneStatistics<C> of_lane = StandardizationOf(from, lanes.length, epsilon);
    Standardize(from, lanes.length, of_lane, scale.Row(lane), bias.Row(lane), to);
    if (statistics_data[0] != nullptr) {
      statistics_data[0][lane] = of_lane.mean;
    }
    if (statistics_data[1] != nullptr) {
      statistics_data[1][lane] = of_lane.inv_std_dev;
    }
  });
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  for (int i = 0; i < 2; ++i) {
    if (ctx.HasOutput(i + 1)) {
      OC_ASSIGN_OR_RETURN(Tensor rounded, StoreTensor<C>(ctx, statistics[i], stash));
      OC_RETURN_IF_ERROR(ctx.SetOutput(i + 1, std::move(rounded)));
    }
  }
  return absl::OkStatus();
}

// LayerNormalization (ai.onnx 17; 1 as onnxruntime's tools write it below opset 17):
//   Y = (X - Mean) * InvStdDev * Scale + B over axes [axis, rank), with
//   InvStdDev = 1 / sqrt(Var + epsilon).
// Differs from the specification: narrow floats are computed in float throughout and rounded once
// (the specification rounds before Scale and after it), double is computed in double whatever
// stash_type says, which decides the type of Mean and InvStdDev alone.
absl::StatusOr<Kernel> LayerNormalization(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  const float epsilon = node.Float("epsilon");
  const int64_t stash_type = node.Int("stash_type");
  if (stash_type != static_cast<int64_t>(DType::kFloat) &&
      stash_type != static_cast<int64_t>(DType::kBfloat16)) {
    return absl::InvalidArgumentError(
        absl::StrCat("stash_type ", stash_type, " is neither float (1) nor bfloat16 (16)"));
  }
  const DType stash = static_cast<DType>(stash_type);
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(axis_attribute, ctx.Input(0).rank()));
    return DispatchFloat(ctx.Input(0).dtype(),
                         [&]<typename C>() { return Normalize<C>(ctx, axis, epsilon, stash); });
  };
}

}  // namespace

void RegisterLayerNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LayerNormalization", {1, 17}, LayerNormalization);
}

}  // namespace onnxcmp
