#include <cstdint>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/concat.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// Concat (ai.onnx 1, 4, 11, 13): the inputs one after the other along `axis` (in version 1, 1 by
// default).
//
// ConcatTraining (com.microsoft 1): the same; its second output has the inputs' sizes along `axis`.
Kernel Concat(const KernelInit& node) {
  const int64_t attribute = node.version() == 1 ? node.Int("axis", 1) : node.Int("axis");
  return [attribute](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, ctx.Input(0).rank()));
    std::vector<Tensor> tensors;
    for (int i = 0; i < ctx.num_inputs(); ++i) tensors.push_back(ctx.Input(i));
    if (ctx.HasOutput(1)) {
      OC_ASSIGN_OR_RETURN(Tensor sizes, ctx.Allocate(DType::kInt64, {ctx.num_inputs()}));
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        const Tensor& tensor = tensors[static_cast<size_t>(i)];
        sizes.mutable_data<int64_t>()[i] = axis < tensor.rank() ? tensor.dim(axis) : 0;
      }
      OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(sizes)));
    }
    OC_ASSIGN_OR_RETURN(Tensor result, Concatenated(ctx, tensors, axis));
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterConcat(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Concat", {1, 4, 11, 13}, Concat);
  registry.Add(kMicrosoftDomain, "ConcatTraining", {1}, Concat);
}

}  // namespace onnxcmp
