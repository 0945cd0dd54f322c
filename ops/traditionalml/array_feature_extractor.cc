#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// ArrayFeatureExtractor (ai.onnx.ml 1): Z[..., i] = X[..., Y[i]] for the indices Y, whatever their
// shape. A vector X gives one row: Z has rank 2 (as in ONNX's tests). Negative indices are errors.
absl::Status ArrayFeatureExtractor(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, ctx.IntsInput(1));
  if (x.rank() == 0) return absl::InvalidArgumentError("the data are a scalar");
  const int64_t size = x.dim(x.rank() - 1);
  for (const int64_t index : indices) {
    if (index < 0 || index >= size) {
      return absl::InvalidArgumentError(
          absl::StrCat("index ", index, " is out of range for ", size, " elements"));
    }
  }
  Shape shape = x.shape();
  shape.back() = std::ssize(indices);
  if (x.rank() == 1) shape.insert(shape.begin(), 1);
  OC_ASSIGN_OR_RETURN(Tensor z, ctx.Allocate(x.dtype(), shape));
  const int64_t rows = *NumElements(absl::MakeConstSpan(shape).first(shape.size() - 1));
  GatherBlocks(x, rows, size, indices, 1, ctx.pool(), &z);
  return ctx.SetOutput(0, std::move(z));
}

}  // namespace

void RegisterMlArrayFeatureExtractor(OpRegistry& registry) {
  registry.Add(kMlDomain, "ArrayFeatureExtractor", {1}, ArrayFeatureExtractor);
}

}  // namespace onnxcmp
