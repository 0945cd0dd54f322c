#include <cmath>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

struct AbsoluteFold : SumFold {
  template <typename V, typename C>
  static V Map(V x, C) {
    return x < 0 ? -x : x;
  }
};

template <typename C>
absl::Status Normalize(KernelContext& ctx, int axis, int64_t p) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  const LaneShape lanes = LanesAlong(x.shape(), axis);
  const int64_t length = lanes.length;
  TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t, const C* from, C* to) {
    const C norm = p == 1 ? FoldLane<AbsoluteFold>(from, length)
                          : std::sqrt(LaneSquaredDeviations(from, length, C{0}));
    Lane(to, length) = ConstLane(from, length) / (norm == 0 ? C{1} : norm);
  });
  return ctx.SetOutput(0, std::move(y));
}

// LpNormalization (ai.onnx 1, 22): Y = X / the p-norm of X along `axis`, p being 1 or 2; 0 where
// the norm is 0.
absl::StatusOr<Kernel> LpNormalization(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  const int64_t p = node.Int("p");
  if (p != 1 && p != 2) {
    return absl::InvalidArgumentError(absl::StrCat("p must be 1 or 2, not ", p));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_attribute, ctx.Input(0).rank()));
    return DispatchFloat(ctx.Input(0).dtype(),
                         [&]<typename C>() { return Normalize<C>(ctx, axis, p); });
  };
}

}  // namespace

void RegisterLpNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LpNormalization", {1, 22}, LpNormalization);
}

}  // namespace onnxcmp
