#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// data.shape with `in_place` instead of dimension `axis`.
Shape Replaced(const Shape& dims, int axis, const Shape& in_place) {
  Shape result(dims.begin(), dims.begin() + axis);
  result.insert(result.end(), in_place.begin(), in_place.end());
  result.insert(result.end(), dims.begin() + axis + 1, dims.end());
  return result;
}

// The one entry, as a view.
Tensor Entry(const Tensor& data, int axis, int64_t index, const Shape& indices_shape) {
  return data.Strided(Replaced(data.shape(), axis, indices_shape),
                      Replaced(data.strides(), axis, Shape(indices_shape.size(), 1)),
                      data.offset() + index * data.strides()[static_cast<size_t>(axis)]);
}

// Gather (ai.onnx 1, 11, 13): output[o..., i..., j...] = data[o..., indices[i...], j...], the index
// standing at `axis`. Negative indices count from the back, in version 1 too. A single entry is a
// view.
Kernel Gather(const KernelInit& node) {
  const int64_t attribute = node.Int("axis");
  return [attribute](KernelContext& ctx) -> absl::Status {
    const Tensor& data = ctx.Input(0);
    const Shape& indices_shape = ctx.Input(1).shape();
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(attribute, data.rank()));
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> indices, ctx.IntsInput(1));
    OC_RETURN_IF_ERROR(NormalizeIndices(absl::MakeSpan(indices), axis, data.dim(axis)));
    if (indices.size() == 1) {
      return ctx.SetOutput(0, Entry(data, axis, indices[0], indices_shape));
    }
    OC_ASSIGN_OR_RETURN(Tensor result,
                        ctx.Allocate(data.dtype(), Replaced(data.shape(), axis, indices_shape)));
    const absl::Span<const int64_t> dims = data.shape();
    const auto split = static_cast<size_t>(axis);
    const int64_t outer = *NumElements(dims.first(split));
    const int64_t block = *NumElements(dims.subspan(split + 1));
    if (!data.is_contiguous() && static_cast<int64_t>(indices.size()) < data.dim(axis)) {
      // Cheaper than to make all of data contiguous.
      Shape strides = result.strides();
      strides.erase(strides.begin() + axis,
                    strides.begin() + axis + static_cast<std::ptrdiff_t>(indices_shape.size()));
      for (size_t i = 0; i < indices.size(); ++i) {
        CopyIntoBlock(Entry(data, axis, indices[i], {}), strides, static_cast<int64_t>(i) * block,
                      ctx.pool(), &result);
      }
      return ctx.SetOutput(0, std::move(result));
    }
    OC_ASSIGN_OR_RETURN(Tensor table, ctx.ContiguousInput(0));
    for (int64_t& index : indices) index *= block;
    GatherBlocks(table, outer, data.dim(axis) * block, indices, block, ctx.pool(), &result);
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterGather(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Gather", {1, 11, 13}, Gather);
}

}  // namespace onnxcmp
