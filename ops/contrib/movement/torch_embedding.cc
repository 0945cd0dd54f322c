#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// TorchEmbedding (com.microsoft 1; for training, no CPU kernel in onnxruntime): Y[i..., :] =
// weight[indices[i...], :], as torch.nn.functional.embedding. padding_idx and scale_grad_by_freq
// tell the gradient something.
absl::Status TorchEmbedding(KernelContext& ctx) {
  ctx.IgnoreInput(2);
  ctx.IgnoreInput(3);
  OC_ASSIGN_OR_RETURN(const Tensor weight, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> indices, ctx.IntsInput(1));
  if (weight.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("weight must be a matrix, not ", weight.TypeString()));
  }
  const int64_t width = weight.dim(1);
  for (int64_t& index : indices) {
    if (index < 0 || index >= weight.dim(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("index ", index, " is out of range for ", weight.dim(0), " rows"));
    }
    index *= width;
  }
  Shape shape = ctx.Input(1).shape();
  shape.push_back(width);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(weight.dtype(), shape));
  GatherBlocks(weight, 1, 0, indices, width, ctx.pool(), &y);
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterContribTorchEmbedding(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "TorchEmbedding", {1}, TorchEmbedding);
}

}  // namespace onnxcmp
