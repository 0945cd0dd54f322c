#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

absl::Status CheckShapes(const Tensor& cache, const Tensor& update, int axis) {
  bool fits = axis > 0 && update.rank() == cache.rank();
  for (int d = 0; fits && d < cache.rank(); ++d) {
    fits = d == axis ? update.dim(d) <= cache.dim(d) : update.dim(d) == cache.dim(d);
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("update ", update.TypeString(),
                                                 " does not fit into the cache ",
                                                 cache.TypeString(), " along axis ", axis));
}

// Where each batch entry's update begins along the axis; empty: at 0.
absl::StatusOr<std::vector<int64_t>> WriteIndices(const KernelContext& ctx, bool circular,
                                                  int64_t batch, int64_t size, int64_t count) {
  if (!ctx.HasInput(2)) return std::vector<int64_t>();
  if (ctx.Input(2).shape() != Shape{batch}) {
    return absl::InvalidArgumentError(
        absl::StrCat("write_indices is ", ctx.Input(2).TypeString(), " for a batch of ", batch));
  }
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> indices, ctx.IntsInput(2));
  for (int64_t& index : indices) {
    if (circular && size > 0) {
      index %= size;
      if (index < 0) index += size;
    } else if (index < 0 || index > size - count) {
      return absl::InvalidArgumentError(absl::StrCat("cannot write ", count, " entries at index ",
                                                     index, " of an axis of size ", size));
    }
  }
  return indices;
}

// TensorScatter (ai.onnx 24): past_cache, but
// present_cache[b, ..., write_indices[b] + s, ...] = update[b, ..., s, ...], the index standing at
// `axis`; modulo the axis' size if the mode is circular.
absl::StatusOr<Kernel> TensorScatter(const KernelInit& node) {
  const int64_t attribute = node.Int("axis");
  const std::string mode = node.String("mode");
  if (mode != "linear" && mode != "circular") {
    return absl::InvalidArgumentError(
        absl::StrCat("mode \"", mode, "\" is neither linear nor circular"));
  }
  return [attribute, circular = mode == "circular"](KernelContext& ctx) -> absl::Status {
    Tensor cache = ctx.Input(0);
    Tensor update = ctx.Input(1);
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, cache.rank()));
    OC_RETURN_IF_ERROR(CheckShapes(cache, update, axis));
    const DType dtype = cache.dtype();
    if (IsSubByte(dtype)) {
      OC_ASSIGN_OR_RETURN(cache, UnpackToBytes(ctx, cache));
      OC_ASSIGN_OR_RETURN(update, UnpackToBytes(ctx, update));
    }
    const int64_t size = cache.dim(axis);
    const int64_t count = update.dim(axis);
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(cache.dtype(), cache.shape()));
    const Shape strides = result.strides();
    CopyIntoBlock(cache, strides, 0, ctx.pool(), &result);
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> indices,
                        WriteIndices(ctx, circular, cache.dim(0), size, count));
    for (int64_t b = 0; update.num_elements() > 0 && b < cache.dim(0); ++b) {
      const int64_t first = indices.empty() ? 0 : indices[static_cast<size_t>(b)];
      const Tensor piece = Narrowed(update, 0, b, 1);
      const int64_t until_end = std::min(count, size - first);
      CopyIntoBlock(Narrowed(piece, axis, 0, until_end), strides,
                    b * strides[0] + first * strides[static_cast<size_t>(axis)], ctx.pool(),
                    &result);
      CopyIntoBlock(Narrowed(piece, axis, until_end, count - until_end), strides, b * strides[0],
                    ctx.pool(), &result);
    }
    if (IsSubByte(dtype)) {
      OC_ASSIGN_OR_RETURN(result, PackFromBytes(ctx, result, dtype));
    }
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterTensorScatter(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "TensorScatter", {24}, TensorScatter);
}

}  // namespace onnxcmp
