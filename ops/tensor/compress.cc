#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// Compress (ai.onnx 9, 11, 28): the entries along `axis`, or without it the elements, whose
// `condition` is true. What a shorter condition does not reach is left out; true beyond the end is
// an error (as in NumPy; onnxruntime ignores it).
Kernel Compress(const KernelInit& node) {
  const bool flat = !node.Has("axis");
  const int64_t attribute = node.Int("axis", 0);
  return [flat, attribute](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
    if (flat) x = x.Reshaped({x.num_elements()});
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, x.rank()));
    OC_ASSIGN_OR_RETURN(const Tensor condition, ctx.ContiguousInput(1));
    if (condition.rank() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("condition has rank ", condition.rank(), ", not 1"));
    }
    const absl::Span<const int64_t> dims = x.shape();
    const auto split = static_cast<size_t>(axis);
    const int64_t block = *NumElements(dims.subspan(split + 1));
    std::vector<int64_t> offsets;
    for (int64_t i = 0; i < condition.num_elements(); ++i) {
      if (!condition.data<bool>()[i]) continue;
      if (i >= x.dim(axis)) {
        return absl::InvalidArgumentError(absl::StrCat("condition is true at ", i, ", but axis ",
                                                       axis, " has size ", x.dim(axis)));
      }
      offsets.push_back(i * block);
    }
    Shape shape = x.shape();
    shape[split] = static_cast<int64_t>(offsets.size());
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(x.dtype(), shape));
    GatherBlocks(x, *NumElements(dims.first(split)), x.dim(axis) * block, offsets, block,
                 ctx.pool(), &result);
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterCompress(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Compress", {9, 11, 28}, Compress);
}

}  // namespace onnxcmp
