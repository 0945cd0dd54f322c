#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Run(KernelContext& ctx) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(const Tensor dy, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<C>(ctx, ctx.Input(2)));
  OC_ASSIGN_OR_RETURN(const Tensor mean, LoadTensor<C>(ctx, ctx.Input(3)));
  OC_ASSIGN_OR_RETURN(const Tensor inv_std_dev, LoadTensor<C>(ctx, ctx.Input(4)));
  const int64_t batch = x.dim(0);
  const int64_t channels = x.dim(1);
  const int64_t size = *NumElements(absl::MakeConstSpan(x.shape()).subspan(2));
  OC_ASSIGN_OR_RETURN(Tensor dx, ctx.Allocate(kDTypeOf<C>, x.shape()));
  OC_ASSIGN_OR_RETURN(Tensor scale_grad, ctx.Allocate(kDTypeOf<C>, {channels}));
  OC_ASSIGN_OR_RETURN(Tensor bias_grad, ctx.Allocate(kDTypeOf<C>, {channels}));
  C* dx_data = dx.mutable_data<C>();
  C* scale_sums = scale_grad.mutable_data<C>();
  C* bias_sums = bias_grad.mutable_data<C>();
  ctx.pool().ParallelRanges(channels, 1, [&](int64_t begin, int64_t end) {
    std::vector<C> scratch(static_cast<size_t>(size));
    Lane product(scratch.data(), size);
    for (int64_t c = begin; c < end; ++c) {
      const C inverse = inv_std_dev.data<C>()[c];
      const auto hat = [&](int64_t n) {
        return (ConstLane(x.data<C>() + (n * channels + c) * size, size) - mean.data<C>()[c]) *
               inverse;
      };
      const auto gradient = [&](int64_t n) { return dy.data<C>() + (n * channels + c) * size; };
      C of_products = 0;
      C of_gradients = 0;
      for (int64_t n = 0; n < batch; ++n) {
        product = hat(n) * ConstLane(gradient(n), size);
        of_products += LaneSum(scratch.data(), size);
        of_gradients += LaneSum(gradient(n), size);
      }
      const C count = static_cast<C>(batch * size);
      for (int64_t n = 0; n < batch; ++n) {
        Lane(dx_data + (n * channels + c) * size, size) =
            (ConstLane(gradient(n), size) - of_gradients / count - hat(n) * (of_products / count)) *
            (scale.data<C>()[c] * inverse);
      }
      scale_sums[c] = of_products;
      bias_sums[c] = of_gradients;
    }
  });
  OC_ASSIGN_OR_RETURN(dx, StoreTensor<C>(ctx, dx, ctx.Input(1).dtype()));
  OC_ASSIGN_OR_RETURN(scale_grad, StoreTensor<C>(ctx, scale_grad, ctx.Input(2).dtype()));
  OC_ASSIGN_OR_RETURN(bias_grad, StoreTensor<C>(ctx, bias_grad, ctx.Input(2).dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(dx)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(scale_grad)));
  return ctx.SetOutput(2, std::move(bias_grad));
}

// BatchNormalizationGrad (com.microsoft 1), of Y = hat * scale + bias per channel in training,
// hat = (X - mean) * inv_std_dev:
//   scale_grad = sum(dY * hat), bias_grad = sum(dY),
//   X_grad = scale * inv_std_dev * (dY - mean(dY) - hat * mean(dY * hat))
// The last input, called variance in the schema, is 1 / sqrt(variance + epsilon) in onnxruntime's
// kernels, so that epsilon is not used.
Kernel BatchNormalizationGrad(const KernelInit& node) {
  node.Ignore("epsilon");
  return [](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(1);
    if (x.rank() < 2 || ctx.Input(0).shape() != x.shape()) {
      return absl::InvalidArgumentError(absl::StrCat("dY is ", ctx.Input(0).TypeString(), ", X is ",
                                                     x.TypeString(),
                                                     ": they must be batches of channels"));
    }
    for (int i = 2; i < 5; ++i) {
      if (ctx.Input(i).shape() != Shape{x.dim(1)}) {
        return absl::InvalidArgumentError(absl::StrCat(
            "input ", i, " is ", ctx.Input(i).TypeString(), ", not of ", x.dim(1), " channels"));
      }
    }
    return DispatchFloat(x.dtype(), [&]<typename C>() { return Run<C>(ctx); });
  };
}

}  // namespace

void RegisterTrainingBatchNormalizationGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BatchNormalizationGrad", {1}, BatchNormalizationGrad);
}

}  // namespace onnxcmp
