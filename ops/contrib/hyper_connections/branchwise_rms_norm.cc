#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/reduction/lanes.h"
#include "ops/contrib/hyper_connections/branches.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Run(KernelContext& ctx, int64_t num_branches, C epsilon) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const Branches branches, BranchesOf(x, num_branches));
  const int64_t size = branches.size;
  Tensor scale;
  int64_t scales = 1;  // rows of scale
  if (ctx.HasInput(1)) {
    OC_ASSIGN_OR_RETURN(scale, LoadTensor<C>(ctx, ctx.Input(1)));
    const Shape& shape = scale.shape();
    if (shape == Shape{branches.count * size} || shape == Shape{branches.count, size}) {
      scales = branches.count;
    } else if (shape != Shape{size}) {
      return absl::InvalidArgumentError(absl::StrCat("scale has shape [", ShapeToString(shape),
                                                     "], which does not fit ", branches.count,
                                                     " branches of ", size, " elements each"));
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  const LaneShape lanes = {branches.rows * branches.count, size, 1};
  TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t lane, const C* from, C* to) {
    const C* factors = scale.defined() ? scale.data<C>() + lane % scales * size : nullptr;
    Standardize<C>(from, size, RootMeanSquareOf(from, size, epsilon), factors, nullptr, to);
  });
  return ctx.SetOutput(0, std::move(y));
}

// BranchwiseRMSNorm (com.microsoft 1): Y = X / sqrt(mean(X^2) + epsilon) * scale for each branch. X
// is (..., C, H), or (..., C * H) with num_branches; scale (C * H), (C, H) or (H), or ones.
Kernel BranchwiseRmsNorm(const KernelInit& node) {
  const float epsilon = node.Float("epsilon");
  const int64_t num_branches = node.Int("num_branches");
  return [=](KernelContext& ctx) {
    const bool in_double = ctx.Input(0).dtype() == DType::kDouble;
    return in_double ? Run<double>(ctx, num_branches, epsilon)
                     : Run<float>(ctx, num_branches, epsilon);
  };
}

}  // namespace

void RegisterContribBranchwiseRmsNorm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BranchwiseRMSNorm", {1}, BranchwiseRmsNorm);
}

}  // namespace onnxcmp
