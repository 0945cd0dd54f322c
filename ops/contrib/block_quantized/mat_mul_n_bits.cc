#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/block_quantized/n_bits_product.h"

namespace onnxcmp {
namespace {

// MatMulNBits (com.microsoft 1): Y = A * W^T + bias, W[n, k] = (code - zero) * scale of its block,
// codes of 2, 4 or 8 bits (block_quantization.h). Zero points are 2^(bits - 1) by default; packed
// ones do not count where g_idx is given, as in onnxruntime. A is never quantized, whatever
// accuracy_level allows; narrow floats are computed in float and rounded once.
absl::StatusOr<Kernel> MatMulNBits(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const NBitsAttributes attributes, ReadNBitsAttributes(node));
  const int64_t prepacked = node.Int("weight_prepacked");
  if (prepacked != 0) {
    return absl::UnimplementedError(absl::StrCat("weight_prepacked is ", prepacked,
                                                 ": layouts of processors are not supported"));
  }
  const int64_t n = node.Int("N");
  return [attributes, n](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor a, LoadTensor<C>(ctx, ctx.Input(0)));
      const NBitsInputs inputs = {.zero_points = 3, .group_index = 4, .bias = 5};
      OC_ASSIGN_OR_RETURN(Tensor y, NBitsProduct<C>(ctx, attributes, n, inputs, a));
      OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
      return ctx.SetOutput(0, std::move(y));
    });
  };
}

}  // namespace

void RegisterContribMatMulNBits(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulNBits", {1}, MatMulNBits);
}

}  // namespace onnxcmp
