#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// Repeats the one element of a packed type through whole bytes.
void FillPacked(const Tensor& value, Tensor* result) {
  const int width = BitWidth(value.dtype());
  const int element = *value.data<uint8_t>() & ((1 << width) - 1);
  int byte = 0;
  for (int shift = 0; shift < 8; shift += width) byte |= element << shift;
  auto* to = result->mutable_data<uint8_t>();
  std::fill_n(to, result->byte_size(), static_cast<uint8_t>(byte));
  // The bits after the last element are 0, so that equal tensors have equal bytes.
  if (const int64_t used = result->num_elements() % (8 / width); used != 0) {
    to[result->byte_size() - 1] = static_cast<uint8_t>(byte & ((1 << (used * width)) - 1));
  }
}

// ConstantOfShape (ai.onnx 9, 20, 21, 23, 24, 25): a tensor of the shape that the input holds,
// every element the one of `value`, a float 0 by default.
absl::StatusOr<Kernel> ConstantOfShape(const KernelInit& node) {
  const Tensor value = node.TensorAttribute("value").value_or(Tensor::Scalar(0.0f));
  if (value.num_elements() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the attribute value must hold one element, not ", value.TypeString()));
  }
  return [value](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> shape, ctx.IntsInput(0));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(value.dtype(), shape));
    if (IsSubByte(value.dtype())) {
      FillPacked(value, &result);
    } else {
      const Tensor repeated = value.Strided(shape, Shape(shape.size(), 0), value.offset());
      const Shape strides = result.strides();
      CopyIntoBlock(repeated, strides, 0, ctx.pool(), &result);
    }
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterConstantOfShape(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ConstantOfShape", {9, 20, 21, 23, 24, 25}, ConstantOfShape);
}

}  // namespace onnxcmp
