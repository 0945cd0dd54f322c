#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

struct ReducedAxes {
  std::vector<int64_t> a, b;  // from the last axis to the first
};

// The axes of the broadcast result along which each of the two was repeated.
absl::StatusOr<ReducedAxes> AxesToReduce(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  ReducedAxes axes;
  const size_t rank = std::max(a.size(), b.size());
  for (size_t back = 0; back < rank; ++back) {
    const auto axis = static_cast<int64_t>(rank - 1 - back);
    if (back >= a.size() || back >= b.size()) {
      (back >= a.size() ? axes.a : axes.b).push_back(axis);
      continue;
    }
    const int64_t a_dim = a[a.size() - 1 - back];
    const int64_t b_dim = b[b.size() - 1 - back];
    if (a_dim == b_dim) continue;
    if (a_dim != 1 && b_dim != 1) {
      return absl::InvalidArgumentError(absl::StrCat("shapes [", ShapeToString(a), "] and [",
                                                     ShapeToString(b),
                                                     "] cannot be broadcast to each other"));
    }
    (a_dim == 1 ? axes.a : axes.b).push_back(axis);
  }
  return axes;
}

Tensor Vector(const std::vector<int64_t>& values) {
  return Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

// BroadcastGradientArgs (com.microsoft 1): the axes over which the gradient of a broadcast binary
// operator is summed for each of its inputs, of which the shapes are given. From the last axis to
// the first, as in onnxruntime.
absl::Status BroadcastGradientArgs(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> a, ctx.IntsInput(0));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> b, ctx.IntsInput(1));
  OC_ASSIGN_OR_RETURN(const ReducedAxes axes, AxesToReduce(a, b));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, Vector(axes.a)));
  return ctx.SetOutput(1, Vector(axes.b));
}

// The sum of `gradient` over what was repeated, in the shape of `like`.
absl::StatusOr<Tensor> SumTo(const KernelContext& ctx, const Tensor& gradient, const Tensor& like,
                             const std::vector<int64_t>& reduced) {
  OC_ASSIGN_OR_RETURN(const Axes axes, NormalizeAxes(reduced, gradient.rank()));
  OC_ASSIGN_OR_RETURN(const Tensor sum,
                      Reduce(ctx, gradient, axes, /*keepdims=*/true, Reduction::kSum));
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(sum));
  return contiguous.Reshaped(like.shape());
}

// DivGrad (com.microsoft 1), of A / B: dA = dY / B, dB = -dY * A / (B * B), each summed over the
// axes along which its input was repeated.
absl::Status DivGrad(KernelContext& ctx) {
  const Tensor& dy = ctx.Input(0);
  const Tensor& a = ctx.Input(1);
  const Tensor& b = ctx.Input(2);
  OC_ASSIGN_OR_RETURN(const ReducedAxes axes, AxesToReduce(a.shape(), b.shape()));
  const auto rank = static_cast<size_t>(std::max(a.rank(), b.rank()));
  for (size_t back = 0; back < std::max(rank, dy.shape().size()); ++back) {
    const auto dim = [back](const Tensor& t) {
      return back < t.shape().size() ? t.shape()[t.shape().size() - 1 - back] : 1;
    };
    const int64_t want = dim(a) == 1 ? dim(b) : dim(a);
    if (dy.shape().size() != rank || dim(dy) != want) {
      return absl::InvalidArgumentError(absl::StrCat("dY is ", dy.TypeString(), ", A is ",
                                                     a.TypeString(), ", B is ", b.TypeString()));
    }
  }
  if (ctx.HasOutput(0)) {
    OC_ASSIGN_OR_RETURN(const Tensor whole,
                        Elementwise(Floats{}, ctx, std::array<const Tensor*, 2>{&dy, &b},
                                    dy.dtype(), [](auto g, auto y) { return g / y; }));
    OC_ASSIGN_OR_RETURN(Tensor da, SumTo(ctx, whole, a, axes.a));
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(da)));
  }
  if (!ctx.HasOutput(1)) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const Tensor whole,
                      Elementwise(Floats{}, ctx, std::array<const Tensor*, 3>{&dy, &a, &b},
                                  dy.dtype(), [](auto g, auto x, auto y) {
                                    using T = typename decltype(x)::Scalar;
                                    return g * (x * T{-1} / (y * y));
                                  }));
  OC_ASSIGN_OR_RETURN(Tensor db, SumTo(ctx, whole, b, axes.b));
  return ctx.SetOutput(1, std::move(db));
}

}  // namespace

void RegisterTrainingBroadcastGradient(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BroadcastGradientArgs", {1}, BroadcastGradientArgs);
  registry.Add(kMicrosoftDomain, "DivGrad", {1}, DivGrad);
}

}  // namespace onnxcmp
