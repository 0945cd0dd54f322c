#include <string>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Run(KernelContext& ctx, bool times_gate, C epsilon) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor gate, LoadTensor<C>(ctx, ctx.Input(2)));
  const int64_t count = scale.rank() == 1 ? scale.dim(0) : 0;
  if (x.rank() < 1 || count < 1 || x.shape().back() % count != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("scale must be a vector whose length divides the last dimension of X, but X ",
                     "is ", x.TypeString(), " and scale ", scale.TypeString()));
  }
  if (gate.shape() != x.shape()) {
    return absl::InvalidArgumentError(absl::StrCat("gate is [", ShapeToString(gate.shape()),
                                                   "], but X [", ShapeToString(x.shape()), "]"));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  const LaneShape lanes = {x.num_elements() / count, count, 1};
  TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t lane, const C* from, C* to) {
    const C inverse = RootMeanSquareOf(from, count, epsilon).inv_std_dev;
    const ConstLane gates(gate.data<C>() + lane * count, count);
    vec::Sigmoid(gates.data(), count, to);
    if (times_gate) Lane(to, count) *= gates;
    Lane(to, count) *= ConstLane(from, count) * inverse * ConstLane(scale.data<C>(), count);
  });
  return ctx.SetOutput(0, std::move(y));
}

// GatedRMSNorm (com.microsoft 1), for each C neighbours of the last dimension, C being the length
// of scale:
//   Y = X / sqrt(mean(X^2) + epsilon) * scale * f(gate)
// with f(z) = z * Sigmoid(z) for `activation` "silu" and "swish", Sigmoid(z) for "sigmoid".
absl::StatusOr<Kernel> GatedRmsNorm(const KernelInit& node) {
  const float epsilon = node.Float("epsilon");
  const std::string activation = node.String("activation");
  const bool times_gate = activation == "silu" || activation == "swish";
  if (!times_gate && activation != "sigmoid") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation must be silu, swish or sigmoid, not ", activation));
  }
  return FloatKernel(
      0, [=]<typename C>(KernelContext& ctx) { return Run<C>(ctx, times_gate, epsilon); });
}

}  // namespace

void RegisterContribGatedRmsNorm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatedRMSNorm", {1}, GatedRmsNorm);
}

}  // namespace onnxcmp
