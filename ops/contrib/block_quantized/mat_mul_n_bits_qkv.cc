#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/block_quantized/n_bits_product.h"

namespace onnxcmp {
namespace {

// MatMulNBitsQkv (com.microsoft 1), W as in MatMulNBits:
//   x = SimplifiedLayerNormalization(A + skip) * norm_scale,  input_skip_bias_sum = A + skip
//   Q = x * W_q^T + q_bias, K and V likewise
// Narrow floats are computed in float and rounded once in each output.
absl::StatusOr<Kernel> MatMulNBitsQkv(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const NBitsAttributes attributes, ReadNBitsAttributes(node));
  return [attributes, query_size = node.Int("Nq"), key_size = node.Int("Nkv"),
          epsilon = node.Float("epsilon")](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor x, NormalizedInput<C>(ctx, attributes.k, epsilon, 3));
      for (int i = 0; i < 3; ++i) {
        const int first = 3 + 3 * i;
        const NBitsInputs inputs = {.b = first, .scales = first + 1, .bias = first + 2};
        OC_ASSIGN_OR_RETURN(
            Tensor y, NBitsProduct<C>(ctx, attributes, i == 0 ? query_size : key_size, inputs, x));
        OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
        OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(y)));
      }
      return absl::OkStatus();
    });
  };
}

}  // namespace

void RegisterContribMatMulNBitsQkv(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulNBitsQkv", {1}, MatMulNBitsQkv);
}

}  // namespace onnxcmp
