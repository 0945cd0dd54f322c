#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/shapes/work.h"
#include "ops/nn/lp_norm.h"

namespace onnxcmp {
namespace {

constexpr int64_t kGrain = 32768;

template <typename C>
absl::Status Pool(KernelContext& ctx, const WindowAttributes& attributes, double p) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(Windows windows, PlanPool(attributes, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, PoolShape(x, windows)));
  if (y.num_elements() > 0) {
    OC_RETURN_IF_ERROR(DropPaddingTaps(&windows));
    OC_RETURN_IF_ERROR(CheckWork(
        ctx, static_cast<double>(y.num_elements()) * static_cast<double>(NumTaps(windows))));
    OC_ASSIGN_OR_RETURN(Tensor powers, ctx.Allocate(kDTypeOf<C>, x.shape()));
    C* power = powers.mutable_data<C>();
    ctx.pool().ParallelRanges(x.num_elements(), kGrain, [&](int64_t begin, int64_t end) {
      PowersOf(x.data<C>() + begin, end - begin, p, power + begin);
    });
    C* out = y.mutable_data<C>();
    FoldWindows<SumFold, C>(ctx.pool(), windows, x.dim(0) * x.dim(1), power, out);
    ctx.pool().ParallelRanges(y.num_elements(), kGrain, [&](int64_t begin, int64_t end) {
      RootsOf(out + begin, end - begin, p, out + begin);
    });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// LpPool (ai.onnx 1, 2, 11, 18, 22): Y[n, c, o] = (the sum of |x|^p over the elements x of X[n, c]
// in window o)^(1/p). Version 1 has a fractional p.
absl::StatusOr<Kernel> LpPool(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const WindowAttributes attributes, WindowAttributes::FromNode(node));
  OC_ASSIGN_OR_RETURN(const double p, NormOrder(node));
  return FloatKernel(
      0, [attributes, p]<typename C>(KernelContext& ctx) { return Pool<C>(ctx, attributes, p); });
}

}  // namespace

void RegisterLpPool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LpPool", {1, 2, 11, 18, 22}, LpPool);
}

}  // namespace onnxcmp
