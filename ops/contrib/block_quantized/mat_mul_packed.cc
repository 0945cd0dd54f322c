#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/common/products/matmul.h"
#include "ops/contrib/block_quantized/packed_format.h"

namespace onnxcmp {
namespace {

struct PackedProduct {
  const PackedFormat* format = nullptr;
  int64_t k = 0;
  int64_t n = 0;
  Activation activation;
};

absl::Status MultiplyPacked(KernelContext& ctx, const PackedProduct& product) {
  const Tensor& a = ctx.Input(0);
  if (a.rank() < 1 || a.shape().back() != product.k) {
    return absl::InvalidArgumentError(
        absl::StrCat("A is ", a.TypeString(), ", but K is ", product.k));
  }
  OC_ASSIGN_OR_RETURN(const Tensor b, ctx.ContiguousInput(1));
  OC_RETURN_IF_ERROR(CheckPackedRows("B", b, *product.format, {product.n}, product.k));
  OC_ASSIGN_OR_RETURN(const Tensor weights,
                      DecodePackedRows<float>(ctx, *product.format, b.data<uint8_t>(), product.n,
                                              product.k, a.dtype()));
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<float>(ctx, a));
  OC_ASSIGN_OR_RETURN(
      Tensor y, MatMulTensors(ctx, x, weights.Strided({product.k, product.n}, {1, product.k}, 0)));
  if (!product.activation.is_identity()) {
    OC_ASSIGN_OR_RETURN(Tensor rounded, StoreTensor<float>(ctx, y, a.dtype()));
    OC_ASSIGN_OR_RETURN(y, LoadTensor<float>(ctx, rounded));
    product.activation.Apply(y.mutable_data<float>(), y.num_elements());
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<float>(ctx, y, a.dtype()));
  return ctx.SetOutput(0, std::move(y));
}

// MatMulPacked (com.microsoft 1): Y = activation(A * B^T), B being N rows of K elements in the
// format packed_type (packed_format.h), each rounded to A's type. The sum is in float and rounded
// once, and once more after an activation: relu2 is max(y, 0)^2, silu y * sigmoid(y). global_scale
// is refused: it is that of NVFP4, whose number and layout no public text has.
absl::StatusOr<Kernel> MatMulPacked(const KernelInit& node) {
  PackedProduct product;
  product.k = node.Int("K");
  product.n = node.Int("N");
  OC_ASSIGN_OR_RETURN(product.format, PackedFormatOf("packed_type", node.Int("packed_type")));
  const std::string activation = node.String("activation_type");
  if (activation == "relu2" || activation == "relu_squared") {
    product.activation = Activation::SquaredRelu();
  } else if (activation == "silu") {
    product.activation = Activation::Silu();
  } else if (activation != "none") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation_type \"", activation, "\" is none of none, relu2 and silu"));
  }
  if (product.k < 1 || product.n < 1) {
    return absl::InvalidArgumentError(absl::StrCat("K is ", product.k, ", N ", product.n));
  }
  if (node.HasInput(2)) {
    return absl::UnimplementedError(
        absl::StrCat("global_scale is for NVFP4, but the format is ", product.format->name));
  }
  return [product](KernelContext& ctx) { return MultiplyPacked(ctx, product); };
}

}  // namespace

void RegisterContribMatMulPacked(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulPacked", {1}, MatMulPacked);
}

}  // namespace onnxcmp
