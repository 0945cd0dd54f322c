#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Run(KernelContext& ctx) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor a, LoadTensor<C>(ctx, ctx.Input(0)));
  const int64_t heads = a.rank() == 0 ? 0 : a.shape().back();
  for (int i = 1; i < 3; ++i) {
    if (a.rank() != 3 || ctx.Input(i).shape() != Shape{heads}) {
      return absl::InvalidArgumentError(absl::StrCat("a is ", a.TypeString(), " and input ", i, " ",
                                                     ctx.Input(i).TypeString(),
                                                     ", not (B, T, H) and (H)"));
    }
  }
  OC_ASSIGN_OR_RETURN(const Tensor bias, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<C>(ctx, ctx.Input(2)));
  OC_ASSIGN_OR_RETURN(const Activation softplus, Activation::Make("Softplus", {}));
  OC_ASSIGN_OR_RETURN(Tensor decay, ctx.Allocate(kDTypeOf<C>, a.shape()));
  C* y = decay.template mutable_data<C>();
  ctx.pool().ParallelRanges(a.num_elements(), 8192, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = a.data<C>()[i] + bias.data<C>()[i % heads];
    softplus.Apply(y + begin, end - begin);
    for (int64_t i = begin; i < end; ++i) y[i] *= scale.data<C>()[i % heads];
  });
  OC_ASSIGN_OR_RETURN(decay, StoreTensor<C>(ctx, decay, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(decay)));
  if (!ctx.HasInput(3)) {
    if (ctx.HasOutput(1)) return absl::InvalidArgumentError("beta is wanted, but b is not given");
    return absl::OkStatus();
  }
  OC_ASSIGN_OR_RETURN(const Tensor b, LoadTensor<C>(ctx, ctx.Input(3)));
  if (b.shape() != a.shape()) {
    return absl::InvalidArgumentError(
        absl::StrCat("b is ", b.TypeString(), ", but a ", a.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(Tensor beta, ctx.Allocate(kDTypeOf<C>, b.shape()));
  vec::Sigmoid(b.data<C>(), b.num_elements(), beta.template mutable_data<C>());
  OC_ASSIGN_OR_RETURN(beta, StoreTensor<C>(ctx, beta, dtype));
  return ctx.SetOutput(1, std::move(beta));
}

// LinearAttentionGate (com.microsoft 1): decay = decay_scale * softplus(a + dt_bias), a number for
// each head; beta = sigmoid(b). Narrow floats are computed in float and rounded once.
absl::Status LinearAttentionGate(KernelContext& ctx) {
  return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() { return Run<C>(ctx); });
}

}  // namespace

void RegisterContribLinearAttentionGate(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "LinearAttentionGate", {1}, LinearAttentionGate);
}

}  // namespace onnxcmp
