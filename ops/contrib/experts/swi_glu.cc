#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/matmul.h"
#include "ops/contrib/experts/gated_activation.h"

namespace onnxcmp {
namespace {

// activation_alpha, activation_beta and limit, of which 0 and less are none.
SwiGluOptions ReadSwiGluOptions(const KernelInit& node) {
  SwiGluOptions options = {.alpha = node.Float("activation_alpha"),
                           .beta = node.Float("activation_beta")};
  const float limit = node.Float("limit");
  if (!(limit <= 0)) options.limit = limit;
  return options;
}

// rows x width, from rows of g and l that lie `stride` elements apart.
template <typename C>
absl::StatusOr<Tensor> SwiGluRows(const KernelContext& ctx, const SwiGluOptions& options,
                                  const C* g, const C* l, int64_t stride, int64_t rows,
                                  const Shape& shape, DType dtype) {
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  const int64_t width = shape.back();
  C* out = y.template mutable_data<C>();
  ctx.pool().ParallelRanges(rows, 1 + 4096 / (width + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ApplySwiGlu(options, g + i * stride, l + i * stride, 1, width, out + i * width);
    }
  });
  return StoreTensor<C>(ctx, y, dtype);
}

template <typename C>
absl::Status RunSwiGlu(KernelContext& ctx, SwiGluOptions options, bool rounds) {
  const Tensor& gate = ctx.Input(0);
  const bool halves = !ctx.HasInput(1);
  Shape shape = gate.shape();
  if (rounds) options.rounds_gate_to = gate.dtype();
  if (halves && (shape.empty() || shape.back() % 2 != 0)) {
    return absl::InvalidArgumentError(absl::StrCat("gate is ", gate.TypeString(),
                                                   ", which has no two halves, and up is missing"));
  }
  if (!halves && ctx.Input(1).shape() != shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("gate is ", gate.TypeString(), ", but up ", ctx.Input(1).TypeString()));
  }
  OC_ASSIGN_OR_RETURN(const Tensor g, LoadTensor<C>(ctx, gate));
  Tensor l = g;
  if (!halves) {
    OC_ASSIGN_OR_RETURN(l, LoadTensor<C>(ctx, ctx.Input(1)));
  }
  const Shape result = shape;
  if (shape.empty()) shape = {1};
  const int64_t stride = shape.back();
  const int64_t rows = stride == 0 ? 0 : g.num_elements() / stride;
  if (halves) shape.back() /= 2;
  OC_ASSIGN_OR_RETURN(Tensor y,
                      SwiGluRows(ctx, options, g.data<C>(), l.data<C>() + (halves ? stride / 2 : 0),
                                 stride, rows, shape, gate.dtype()));
  return ctx.SetOutput(0, result.empty() ? y.Reshaped({}) : std::move(y));
}

// SwiGLU (com.microsoft 1): G * sigmoid(activation_alpha * G) * (L + activation_beta),
//   G = min(gate, limit), L = up within +-limit; a limit of 0 or less is none.
// Without `up` gate holds both halves in its last dimension. Computed in float and rounded once;
// with round_activation the product of G and the sigmoid is rounded to the type first.
Kernel SwiGluKernel(const KernelInit& node) {
  const SwiGluOptions options = ReadSwiGluOptions(node);
  const bool rounds = node.Flag("round_activation");
  return FloatKernel(0, [options, rounds]<typename C>(KernelContext& ctx) {
    return RunSwiGlu<C>(ctx, options, rounds);
  });
}

absl::Status RunRouterGateUp(KernelContext& ctx, const SwiGluOptions& options,
                             int64_t router_size) {
  const Tensor& x = ctx.Input(0);
  const Tensor& w = ctx.Input(1);
  if (x.rank() < 1 || w.rank() != 2 || w.dim(0) != x.shape().back() || w.dim(1) < router_size ||
      (w.dim(1) - router_size) % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "X, ", x.TypeString(), ", and W, ", w.TypeString(),
        ", are not (..., K) and (K, router_size + 2 * inter) with router_size ", router_size));
  }
  const int64_t columns = w.dim(1);
  const int64_t inter = (columns - router_size) / 2;
  OC_ASSIGN_OR_RETURN(const Tensor product, MatMulTensors(ctx, x, w));
  const Shape outer(x.shape().begin(), x.shape().end() - 1);
  const int64_t rows = columns == 0 ? 0 : product.num_elements() / columns;
  const Tensor flat = product.Reshaped({rows, columns});
  const auto with = [&](int64_t last) {
    Shape shape = outer;
    shape.push_back(last);
    return shape;
  };
  OC_ASSIGN_OR_RETURN(const Tensor router,
                      ctx.Contiguous(flat.Strided({rows, router_size}, {columns, 1}, 0)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, router.Reshaped(with(router_size))));
  OC_ASSIGN_OR_RETURN(const Tensor values, LoadTensor<float>(ctx, flat));
  const float* gate = values.data<float>() + router_size;
  OC_ASSIGN_OR_RETURN(Tensor activated, SwiGluRows(ctx, options, gate, gate + inter, columns, rows,
                                                   with(inter), x.dtype()));
  return ctx.SetOutput(1, std::move(activated));
}

// RouterGateUpProj (com.microsoft 1): Y = X * W, rounded to X's type; router is its first
// router_size columns, activated the SwiGLU of the rest, of which the first half is the gate.
absl::StatusOr<Kernel> RouterGateUpProj(const KernelInit& node) {
  const SwiGluOptions options = ReadSwiGluOptions(node);
  const int64_t router_size = node.Int("router_size");
  const std::string activation = node.String("activation");
  if (activation != "swiglu") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation is \"", activation, "\", and swiglu alone is defined"));
  }
  if (router_size < 0) {
    return absl::InvalidArgumentError(absl::StrCat("router_size is ", router_size));
  }
  return [=](KernelContext& ctx) { return RunRouterGateUp(ctx, options, router_size); };
}

}  // namespace

void RegisterContribSwiGlu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "RouterGateUpProj", {1}, RouterGateUpProj);
  registry.Add(kMicrosoftDomain, "SwiGLU", {1}, SwiGluKernel);
}

}  // namespace onnxcmp
