#include <numeric>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/reduce.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

// QLinearReduceMean (com.microsoft 1): the mean of the real values over `axes`; none: over all.
// onnxruntime has the schema and no kernel.
Kernel QLinearReduceMean(const KernelInit& node) {
  return [axes = node.Ints("axes"),
          keepdims = node.Flag("keepdims")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {0, 1, 2}));
    OC_ASSIGN_OR_RETURN(Axes normalized, NormalizeAxes(axes, x.rank()));
    if (axes.empty()) {
      normalized.resize(static_cast<size_t>(x.rank()));
      std::iota(normalized.begin(), normalized.end(), 0);
    }
    OC_ASSIGN_OR_RETURN(const Tensor y, Reduce(ctx, x, normalized, keepdims, Reduction::kMean));
    return EmitQuantized(ctx, y, {3, 4}, ctx.Input(0).dtype());
  };
}

}  // namespace

void RegisterContribQLinearReduceMean(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QLinearReduceMean", {1}, QLinearReduceMean);
}

}  // namespace onnxcmp
