#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// Numbers of any type as int64, floats truncated. Values beyond int64 become such that are in range
// of nothing.
absl::StatusOr<std::vector<int64_t>> WholeNumbers(const KernelContext& ctx, int index) {
  OC_ASSIGN_OR_RETURN(const Tensor tensor, ctx.ContiguousInput(index));
  std::vector<int64_t> values(static_cast<size_t>(tensor.num_elements()));
  LoadElements(tensor.dtype(), tensor.raw_data(), 0, tensor.num_elements(), values.data());
  if (tensor.dtype() == DType::kUint64) {
    for (int64_t& value : values) {
      if (value < 0) value = INT64_MIN;
    }
  }
  return values;
}

// OneHot (ai.onnx 9, 11, 28): an axis of size `depth` is put in at `axis`;
// output[..., c, ...] = values[1] if indices[...] is c or c - depth, else values[0]. An index out
// of range gives values[0] all along. Indices and depth may be floats, which are truncated.
Kernel OneHot(const KernelInit& node) {
  const int64_t attribute = node.Int("axis");
  return [attribute](KernelContext& ctx) -> absl::Status {
    const Tensor& indices = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, indices.rank() + 1));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> depths, WholeNumbers(ctx, 1));
    if (depths.size() != 1 || depths[0] < 0) {
      return absl::InvalidArgumentError("depth must be one number that is not negative");
    }
    OC_ASSIGN_OR_RETURN(const Tensor values, ctx.ContiguousInput(2));
    if (values.rank() != 1 || values.dim(0) != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("values must be an off and an on value, not ", values.TypeString()));
    }
    const int64_t depth = depths[0];
    Shape shape = indices.shape();
    shape.insert(shape.begin() + axis, depth);
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(values.dtype(), shape));
    if (result.num_elements() == 0) return ctx.SetOutput(0, std::move(result));
    const Shape strides = result.strides();
    const Shape still(shape.size(), 0);
    CopyIntoBlock(values.Strided(shape, still, values.offset()), strides, 0, ctx.pool(), &result);

    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, WholeNumbers(ctx, 0));
    const int64_t inner = strides[static_cast<size_t>(axis)];
    std::vector<int64_t> on;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < -depth || numbers[i] >= depth) continue;
      const int64_t index = numbers[i] < 0 ? numbers[i] + depth : numbers[i];
      const auto position = static_cast<int64_t>(i);
      on.push_back((position / inner * depth + index) * inner + position % inner);
    }
    ScatterBlocks(values.Strided({1}, {1}, values.offset() + 1), on, 1, &result);
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterOneHot(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "OneHot", {9, 11, 28}, OneHot);
}

}  // namespace onnxcmp
