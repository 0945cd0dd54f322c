#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/contrib/block_quantized/n_bits_product.h"

namespace onnxcmp {
namespace {

// MatMulNBitsMlp (com.microsoft 1), W as in MatMulNBits:
//   x = A, or with norm_scale SimplifiedLayerNormalization(A + skip) * norm_scale
//   Y = silu(x * W_gate^T + gate_bias) * (x * W_up^T + up_bias),  input_skip_bias_sum = A + skip
// Its only implementation (WebGPU) knows silu; narrow floats are computed in float and rounded once
// in each output.
absl::StatusOr<Kernel> MatMulNBitsMlp(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const NBitsAttributes attributes, ReadNBitsAttributes(node));
  const std::string activation = node.String("activation");
  if (activation != "silu") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation \"", activation, "\" is not known; silu is"));
  }
  return [attributes, n = node.Int("N"),
          epsilon = node.Float("epsilon")](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor x, NormalizedInput<C>(ctx, attributes.k, epsilon, 1));
      OC_ASSIGN_OR_RETURN(Tensor gate,
                          NBitsProduct<C>(ctx, attributes, n, {.b = 3, .scales = 4, .bias = 5}, x));
      OC_ASSIGN_OR_RETURN(const Tensor up,
                          NBitsProduct<C>(ctx, attributes, n, {.b = 6, .scales = 7, .bias = 8}, x));
      C* y = gate.template mutable_data<C>();
      ctx.pool().ParallelRanges(gate.num_elements(), 8192, [&](int64_t begin, int64_t end) {
        Activation::Silu().Apply(y + begin, end - begin);
        for (int64_t i = begin; i < end; ++i) y[i] *= up.data<C>()[i];
      });
      OC_ASSIGN_OR_RETURN(gate, StoreTensor<C>(ctx, gate, dtype));
      return ctx.SetOutput(0, std::move(gate));
    });
  };
}

}  // namespace

void RegisterContribMatMulNBitsMlp(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulNBitsMlp", {1}, MatMulNBitsMlp);
}

}  // namespace onnxcmp
