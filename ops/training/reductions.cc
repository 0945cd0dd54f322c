#include <cmath>
#include <cstdint>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceSumTraining (com.microsoft 1): ReduceSum with the axes as an input.
Kernel ReduceSumTraining(const KernelInit& node) {
  return ReduceKernel(node, Reduction::kSum, /*axes_input_since=*/1);
}

// ReduceAllL2 (com.microsoft 1): the square root of the sum of the squares of all elements of all
// inputs, a scalar of the first input's type (the schema leaves the choice between types open).
absl::Status ReduceAllL2(KernelContext& ctx) {
  const DType dtype = ctx.Input(0).dtype();
  return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
    C squares = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(i)));
      squares += LaneSquaredDeviations(x.data<C>(), x.num_elements(), C{0});
    }
    OC_ASSIGN_OR_RETURN(Tensor norm,
                        StoreTensor<C>(ctx, Tensor::Scalar<C>(std::sqrt(squares)), dtype));
    return ctx.SetOutput(0, std::move(norm));
  });
}

// IsFinite (com.microsoft 1): for every element, whether it is neither infinite nor NaN.
absl::Status IsFinite(KernelContext& ctx) {
  return EmitPredicate<Floats>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    return x.unaryExpr([](T value) { return std::isfinite(value); });
  });
}

// All (com.microsoft 1): whether all elements are true; a scalar.
absl::Status All(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  bool all = true;
  for (int64_t i = 0; i < x.num_elements(); ++i) all = all && x.data<bool>()[i];
  return ctx.SetOutput(0, Tensor::Scalar<bool>(all));
}

}  // namespace

void RegisterTrainingReductions(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "All", {1}, All);
  registry.Add(kMicrosoftDomain, "IsFinite", {1}, IsFinite);
  registry.Add(kMicrosoftDomain, "ReduceAllL2", {1}, ReduceAllL2);
  registry.Add(kMicrosoftDomain, "ReduceSumTraining", {1}, ReduceSumTraining);
}

}  // namespace onnxcmp
