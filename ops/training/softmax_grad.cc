#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

template <typename C>
using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;

// dX = Y * (dY - sum(Y * dY)), into dy.
template <typename C>
void SoftmaxGradLane(C* dy, C* y, int64_t count) {
  std::vector<C> products(static_cast<size_t>(count));
  Lane<C>(products.data(), count) = Lane<C>(y, count) * Lane<C>(dy, count);
  const C sum = LaneSum(products.data(), count);
  Lane<C>(dy, count) = Lane<C>(y, count) * (Lane<C>(dy, count) - sum);
}

// dX = dY - exp(Y) * sum(dY), into dy; Y are the log-probabilities.
template <typename C>
void LogSoftmaxGradLane(C* dy, C* y, int64_t count) {
  const C sum = LaneSum(dy, count);
  vec::Exp(y, count, y);
  Lane<C>(dy, count) -= Lane<C>(y, count) * sum;
}

template <typename C>
absl::Status SoftmaxGradOf(KernelContext& ctx, const LaneShape& lanes, bool log) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor dy, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor y, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(Tensor dx, ctx.Allocate(kDTypeOf<C>, dy.shape()));
  const C* dy_data = dy.data<C>();
  const C* y_data = y.data<C>();
  C* dx_data = dx.mutable_data<C>();
  const int64_t length = lanes.length;
  const int64_t inner = lanes.inner;
  if (dx.num_elements() > 0) {
    ctx.pool().ParallelRanges(lanes.lanes(), LaneGrain(length, 8), [&](int64_t begin, int64_t end) {
      std::vector<C> scratch(static_cast<size_t>(2 * length));
      C* gradient = scratch.data();
      C* value = gradient + length;
      for (int64_t lane = begin; lane < end; ++lane) {
        const int64_t first = lane / inner * length * inner + lane % inner;
        for (int64_t i = 0; i < length; ++i) {
          gradient[i] = dy_data[first + i * inner];
          value[i] = y_data[first + i * inner];
        }
        log ? LogSoftmaxGradLane(gradient, value, length)
            : SoftmaxGradLane(gradient, value, length);
        for (int64_t i = 0; i < length; ++i) dx_data[first + i * inner] = gradient[i];
      }
    });
  }
  OC_ASSIGN_OR_RETURN(dx, StoreTensor<C>(ctx, dx, dtype));
  return ctx.SetOutput(0, std::move(dx));
}

// The second input is Y = Softmax(X) or LogSoftmax(X), though LogSoftmaxGrad's schema calls it X.
Kernel GradKernel(const KernelInit& node, bool log, bool one_axis) {
  return [attribute = node.Int("axis"), log, one_axis](KernelContext& ctx) -> absl::Status {
    const Tensor& y = ctx.Input(1);
    if (ctx.Input(0).shape() != y.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("dY is ", ctx.Input(0).TypeString(), ", Y is ", y.TypeString()));
    }
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, y.rank()));
    const LaneShape lanes = one_axis ? LanesAlong(y.shape(), axis) : LanesFrom(y.shape(), axis);
    return DispatchFloat(y.dtype(),
                         [&]<typename C>() { return SoftmaxGradOf<C>(ctx, lanes, log); });
  };
}

// SoftmaxGrad (com.microsoft 1): dX = Y * (dY - sum(Y * dY)), the sum over the axes from `axis` on.
Kernel SoftmaxGrad(const KernelInit& node) { return GradKernel(node, false, false); }

// SoftmaxGrad_13 (com.microsoft 1): the same along `axis` alone.
Kernel SoftmaxGrad13(const KernelInit& node) { return GradKernel(node, false, true); }

// LogSoftmaxGrad (com.microsoft 1): dX = dY - exp(Y) * sum(dY), over the axes from `axis` on.
Kernel LogSoftmaxGrad(const KernelInit& node) { return GradKernel(node, true, false); }

// LogSoftmaxGrad_13 (com.microsoft 1): the same along `axis` alone.
Kernel LogSoftmaxGrad13(const KernelInit& node) { return GradKernel(node, true, true); }

}  // namespace

void RegisterTrainingSoftmaxGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "LogSoftmaxGrad", {1}, LogSoftmaxGrad);
  registry.Add(kMicrosoftDomain, "LogSoftmaxGrad_13", {1}, LogSoftmaxGrad13);
  registry.Add(kMicrosoftDomain, "SoftmaxGrad", {1}, SoftmaxGrad);
  registry.Add(kMicrosoftDomain, "SoftmaxGrad_13", {1}, SoftmaxGrad13);
}

}  // namespace onnxcmp
