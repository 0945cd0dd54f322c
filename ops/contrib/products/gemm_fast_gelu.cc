#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/common/products/matmul.h"

namespace onnxcmp {
namespace {

// GemmFastGelu (com.microsoft 1): Y = FastGelu(matmul(X, W) + bias), the tanh form of Gelu. Narrow
// floats are computed in float and rounded once.
absl::Status GemmFastGelu(KernelContext& ctx) {
  const DType dtype = ctx.Input(0).dtype();
  return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, LoadStridedTensor<C>(ctx, ctx.Input(0)));
    OC_ASSIGN_OR_RETURN(const Tensor w, LoadStridedTensor<C>(ctx, ctx.Input(1)));
    OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, x, w));
    Tensor bias;
    const int64_t columns = y.rank() == 0 ? 1 : y.shape().back();
    if (ctx.HasInput(2)) {
      if (ctx.Input(2).shape() != Shape{columns}) {
        return absl::InvalidArgumentError(absl::StrCat(
            "bias is ", ctx.Input(2).TypeString(), ", but the product has ", columns, " columns"));
      }
      OC_ASSIGN_OR_RETURN(bias, LoadTensor<C>(ctx, ctx.Input(2)));
    }
    C* data = y.template mutable_data<C>();
    ctx.pool().ParallelRanges(y.num_elements(), 8192, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; bias.defined() && i < end; ++i) {
        data[i] += bias.data<C>()[i % columns];
      }
      Activation::FastGelu().Apply(data + begin, end - begin);
    });
    OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
    return ctx.SetOutput(0, std::move(y));
  });
}

}  // namespace

void RegisterContribGemmFastGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GemmFastGelu", {1}, GemmFastGelu);
}

}  // namespace onnxcmp
