#include <algorithm>
#include <cstdint>
#include <limits>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// A bound of a slice of the shape: counted from the back if negative, then clamped to [0, rank].
int64_t Bound(int64_t axis, int64_t rank) {
  if (axis < 0) axis += rank;
  return std::clamp<int64_t>(axis, 0, rank);
}

// Shape (ai.onnx 1, 13, 15, 19, 21, 23, 24, 25): the dimensions of the input from `start` to `end`
// (exclusive) as int64; before version 15, all of them.
Kernel ShapeOf(const KernelInit& node) {
  const bool sliced = node.version() >= 15;
  const int64_t start = sliced ? node.Int("start") : 0;
  const int64_t end = sliced ? node.Int("end", std::numeric_limits<int64_t>::max())
                             : std::numeric_limits<int64_t>::max();
  return [=](KernelContext& ctx) -> absl::Status {
    const Shape& shape = ctx.Input(0).shape();
    const int64_t rank = ctx.Input(0).rank();
    const int64_t begin = Bound(start, rank);
    const int64_t count = std::max<int64_t>(Bound(end, rank) - begin, 0);
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kInt64, {count}));
    std::copy_n(shape.begin() + begin, count, result.mutable_data<int64_t>());
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterShape(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Shape", {1, 13, 15, 19, 21, 23, 24, 25}, ShapeOf);
}

}  // namespace onnxcmp
