#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/block_quantized/n_bits_product.h"

namespace onnxcmp {
namespace {

enum InputIndex : int { kX, kWeights, kScales, kDown, kDownScales, kUp, kUpScales };

struct Options {
  NBitsAttributes base;
  NBitsAttributes adapter;  // its k is that of the first product
  int64_t n = 0;
};

template <typename C>
absl::Status RunQlora(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(kX).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(kX)));
  const auto product = [&](const NBitsAttributes& attributes, int64_t n, int weights,
                           const Tensor& a) -> absl::StatusOr<Tensor> {
    const NBitsInputs inputs = {.b = weights, .scales = weights + 1};
    OC_ASSIGN_OR_RETURN(const Tensor y, NBitsProduct<C>(ctx, attributes, n, inputs, a));
    return RoundTensor<C>(ctx, y, dtype);
  };
  OC_ASSIGN_OR_RETURN(const Tensor base, product(options.base, options.n, kWeights, x));
  const Tensor& down_scales = ctx.Input(kDownScales);
  const int64_t rank = down_scales.rank() == 2 ? down_scales.dim(0) : 0;
  if (rank < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("lora_A_scales is ", down_scales.TypeString(), ", not (R, blocks)"));
  }
  ctx.IgnoreInput(kUpScales);
  Tensor sum = base;
  if (ctx.Input(kUp).num_elements() != 0) {
    OC_ASSIGN_OR_RETURN(const Tensor down, product(options.adapter, rank, kDown, x));
    NBitsAttributes second = options.adapter;
    second.k = rank;
    OC_ASSIGN_OR_RETURN(const Tensor up, product(second, options.n, kUp, down));
    OC_ASSIGN_OR_RETURN(sum, ctx.Allocate(kDTypeOf<C>, base.shape()));
    for (int64_t i = 0; i < sum.num_elements(); ++i) {
      sum.template mutable_data<C>()[i] = base.data<C>()[i] + up.data<C>()[i];
    }
  } else {
    ctx.IgnoreInput(kDown);
  }
  OC_ASSIGN_OR_RETURN(sum, StoreTensor<C>(ctx, sum, dtype));
  return ctx.SetOutput(0, std::move(sum));
}

// MatMulNBitsQLoRA (com.microsoft 1), * being MatMulNBits without zero points and bias:
//   Y = X * W + (X * lora_A) * lora_B
// Each product is rounded to X's type, then their sum. The adapters have lora_bits and
// lora_block_size; their rank is that of lora_A_scales. Without elements in lora_B there is no
// second term, without those in lora_A the first product of it is 0.
absl::StatusOr<Kernel> MatMulNBitsQlora(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const NBitsAttributes base, ReadNBitsAttributes(node));
  OC_ASSIGN_OR_RETURN(
      const NBitsAttributes adapter,
      CheckNBitsAttributes({base.k, node.Int("lora_bits"), node.Int("lora_block_size")}));
  const Options options = {base, adapter, node.Int("N")};
  if (options.n < 1) {
    return absl::InvalidArgumentError(absl::StrCat("N is ", options.n));
  }
  return FloatKernel(
      kX, [options]<typename C>(KernelContext& ctx) { return RunQlora<C>(ctx, options); });
}

}  // namespace

void RegisterContribMatMulNBitsQlora(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulNBitsQLoRA", {1}, MatMulNBitsQlora);
}

}  // namespace onnxcmp
