#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/reduction/softmax.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Run(KernelContext& ctx, const LaneShape& lanes, bool repeats_each) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const Tensor bias, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  const int64_t count = lanes.length;
  if (x.num_elements() > 0) {
    const int64_t rows = bias.num_elements() / count;
    if (rows == 0 || bias.num_elements() % count != 0 || lanes.outer % rows != 0) {
      return absl::InvalidArgumentError(absl::StrCat("bias ", bias.TypeString(),
                                                     " does not repeat over ", lanes.outer,
                                                     " rows of ", count, " elements"));
    }
    const int64_t repeats = lanes.outer / rows;
    TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t lane, const C* from, C* to) {
      const int64_t row = repeats_each ? lane / repeats : lane % rows;
      Lane(to, count) = ConstLane(from, count) + ConstLane(bias.data<C>() + row * count, count);
      SoftmaxLane(to, count, to);
    });
  }
  return ctx.SetOutput(0, std::move(y));
}

// BiasSoftmax (com.microsoft 1): output = Softmax(data + bias) over axes [axis, rank). bias has
// fewer rows (of the elements along those axes) than data: with is_inner_broadcast each of them
// serves several neighbouring rows, otherwise all of them repeat one after the other.
Kernel BiasSoftmax(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  const bool repeats_each = node.Flag("is_inner_broadcast");
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_attribute, x.rank()));
    const LaneShape lanes = LanesFrom(x.shape(), axis);
    return DispatchFloat(x.dtype(), [&]<typename C>() { return Run<C>(ctx, lanes, repeats_each); });
  };
}

}  // namespace

void RegisterContribBiasSoftmax(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BiasSoftmax", {1}, BiasSoftmax);
}

}  // namespace onnxcmp
