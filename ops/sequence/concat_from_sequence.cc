#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/concat.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// The tensor with an axis of size 1 put in; a view.
Tensor WithAxis(const Tensor& x, int axis) {
  Shape shape = x.shape();
  Shape strides = x.strides();
  shape.insert(shape.begin() + axis, 1);
  strides.insert(strides.begin() + axis, 0);
  return WithShape(x, shape, strides);
}

// ConcatFromSequence (ai.onnx 11): the elements one after the other along `axis`, with new_axis =
// 1 along an axis that is put in there.
absl::StatusOr<Kernel> ConcatFromSequence(const KernelInit& node) {
  const int64_t attribute = node.Int("axis");
  const int64_t new_axis = node.Int("new_axis");
  if (new_axis != 0 && new_axis != 1) {
    return absl::InvalidArgumentError(absl::StrCat("new_axis ", new_axis, " is neither 0 nor 1"));
  }
  return [attribute, new_axis](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(0));
    if (sequence->elements.empty()) {
      return absl::InvalidArgumentError("the sequence has no element to concatenate");
    }
    const Tensor& first = sequence->elements[0].tensor();
    OC_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis(attribute, first.rank() + static_cast<int>(new_axis)));
    std::vector<Tensor> tensors;
    for (const Value& element : sequence->elements) {
      const Tensor& tensor = element.tensor();
      if (new_axis == 1 && tensor.shape() != first.shape()) {
        return absl::InvalidArgumentError(
            absl::StrCat("cannot stack ", tensor.TypeString(), " and ", first.TypeString()));
      }
      tensors.push_back(new_axis == 1 ? WithAxis(tensor, axis) : tensor);
    }
    OC_ASSIGN_OR_RETURN(Tensor result, Concatenated(ctx, tensors, axis));
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterConcatFromSequence(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ConcatFromSequence", {11}, ConcatFromSequence);
}

}  // namespace onnxcmp
