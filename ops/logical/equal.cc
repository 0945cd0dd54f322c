#include <cstdint>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Tensor> EqualStrings(const KernelContext& ctx, const Tensor& a, const Tensor& b) {
  OC_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(a.shape(), b.shape()));
  OC_ASSIGN_OR_RETURN(Tensor equal, ctx.Allocate(DType::kBool, shape));
  bool* out = equal.mutable_data<bool>();
  const int64_t count = equal.num_elements();
  if (count == 0) {
    return equal;
  }
  StridedRuns a_runs(shape, BroadcastStrides(a, shape));
  StridedRuns b_runs(shape, BroadcastStrides(b, shape));
  for (int64_t i = 0; i < count; ++i) {
    out[i] = a.string_data()[a_runs.Next(1).offset] == b.string_data()[b_runs.Next(1).offset];
  }
  return equal;
}

// Equal (ai.onnx 1, 7, 11, 13, 19): C = A == B, broadcast; NaN equals nothing.
Kernel Equal(const KernelInit& node) {
  return WithLegacyBroadcast(
      node, [](KernelContext& ctx, const Tensor& a, const Tensor& b) -> absl::Status {
        if (a.dtype() == DType::kString) {
          OC_ASSIGN_OR_RETURN(Tensor equal, EqualStrings(ctx, a, b));
          return ctx.SetOutput(0, std::move(equal));
        }
        return EmitCompare<Classes<float, double, uint64_t, bool>>(
            ctx, a, b, [](auto x, auto y) { return x == y; });
      });
}

}  // namespace

void RegisterEqual(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Equal", {1, 7, 11, 13, 19}, Equal);
}

}  // namespace onnxcmp
