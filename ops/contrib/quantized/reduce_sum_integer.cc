#include <numeric>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/reduce.h"

namespace onnxcmp {
namespace {

// ReduceSumInteger (com.microsoft 1): the sum of 8-bit integers over `axes` (none: over all) in 32
// bits, signed or not as the input is; it wraps around. onnxruntime has the schema and no kernel.
Kernel ReduceSumInteger(const KernelInit& node) {
  return [axes = node.Ints("axes"),
          keepdims = node.Flag("keepdims")](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    const DType wide = x.dtype() == DType::kUint8 ? DType::kUint32 : DType::kInt32;
    OC_ASSIGN_OR_RETURN(Axes normalized, NormalizeAxes(axes, x.rank()));
    if (axes.empty()) {
      normalized.resize(static_cast<size_t>(x.rank()));
      std::iota(normalized.begin(), normalized.end(), 0);
    }
    OC_ASSIGN_OR_RETURN(
        const Tensor widened,
        (ElementwiseIn<uint64_t, 1>(ctx, {&x}, wide, [](auto value) { return value; })));
    OC_ASSIGN_OR_RETURN(Tensor y, Reduce(ctx, widened, normalized, keepdims, Reduction::kSum));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribReduceSumInteger(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "ReduceSumInteger", {1}, ReduceSumInteger);
}

}  // namespace onnxcmp
