#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// Expand (ai.onnx 8, 13): the input broadcast with `shape`, in both directions: a dimension of 1 in
// `shape` keeps the input's. A view whose strides are 0 along what was broadcast.
absl::Status Expand(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> asked, ctx.IntsInput(1));
  const size_t rank = std::max(asked.size(), x.shape().size());
  Shape shape(rank, 1);
  Shape strides(rank, 0);
  std::copy(x.shape().rbegin(), x.shape().rend(), shape.rbegin());
  std::copy(x.strides().rbegin(), x.strides().rend(), strides.rbegin());
  for (size_t i = 0; i < asked.size(); ++i) {
    const size_t axis = rank - asked.size() + i;
    if (asked[i] == 1 || asked[i] == shape[axis]) continue;
    if (shape[axis] != 1 || asked[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat("cannot broadcast [",
                                                     absl::StrJoin(x.shape(), ","), "] to [",
                                                     absl::StrJoin(asked, ","), "]"));
    }
    shape[axis] = asked[i];
    strides[axis] = 0;
  }
  // Whoever reads the elements may have to copy them.
  OC_RETURN_IF_ERROR(ctx.CheckSize(x.dtype(), shape));
  return ctx.SetOutput(0, x.Strided(shape, strides, x.offset()));
}

}  // namespace

void RegisterExpand(OpRegistry& registry) { registry.Add(kOnnxDomain, "Expand", {8, 13}, Expand); }

}  // namespace onnxcmp
