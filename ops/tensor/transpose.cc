#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

absl::Status CheckPermutation(absl::Span<const int64_t> perm, int rank) {
  std::vector<bool> seen(static_cast<size_t>(rank));
  bool valid = static_cast<int>(perm.size()) == rank;
  for (size_t i = 0; valid && i < perm.size(); ++i) {
    valid = perm[i] >= 0 && perm[i] < rank && !seen[static_cast<size_t>(perm[i])];
    if (valid) seen[static_cast<size_t>(perm[i])] = true;
  }
  if (valid) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("perm (", absl::StrJoin(perm, ", "),
                                                 ") is not a permutation of the ", rank, " axes"));
}

// Transpose (ai.onnx 1, 13, 21, 23, 24, 25): axis i of the output is axis perm[i] of the input; all
// axes reversed without perm. A view, but for packed types.
Kernel Transpose(const KernelInit& node) {
  const bool reverse = !node.Has("perm");
  std::vector<int64_t> attribute = node.Ints("perm");
  return [reverse, attribute = std::move(attribute)](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    Shape perm(attribute.begin(), attribute.end());
    if (reverse) {
      perm.resize(x.shape().size());
      std::iota(perm.rbegin(), perm.rend(), 0);
    } else {
      OC_RETURN_IF_ERROR(CheckPermutation(perm, x.rank()));
    }
    if (!IsSubByte(x.dtype())) return ctx.SetOutput(0, Permuted(x, perm));
    OC_ASSIGN_OR_RETURN(Tensor bytes, UnpackToBytes(ctx, x));
    OC_ASSIGN_OR_RETURN(Tensor moved, ctx.Contiguous(Permuted(bytes, perm)));
    OC_ASSIGN_OR_RETURN(Tensor packed, PackFromBytes(ctx, moved, x.dtype()));
    return ctx.SetOutput(0, std::move(packed));
  };
}

}  // namespace

void RegisterTranspose(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Transpose", {1, 13, 21, 23, 24, 25}, Transpose);
}

}  // namespace onnxcmp
