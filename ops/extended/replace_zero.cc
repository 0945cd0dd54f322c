#include "evaluator/kernels/kernel.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

// ReplaceZero (onnx_extended.ortops.optim.cuda 1): `by` where x is 0, else x. With equal=0, which
// is what the optimizers write for Where(Cast(x, bool), by, x): `by` where x is not 0 (NaN is not),
// else x. The Python implementation honours `equal`; the CUDA kernel does not know it and always
// replaces zeros, as we do without the attribute.
Kernel ReplaceZero(const KernelInit& node) {
  const float by = node.Float("by");
  if (node.Int("equal", 1) != 0) {
    return UnaryKernel<Floats>([by](auto x) {
      using T = typename decltype(x)::Scalar;
      return x.unaryExpr([by](T v) { return v == 0 ? T{by} : v; });
    });
  }
  return UnaryKernel<Floats>([by](auto x) {
    using T = typename decltype(x)::Scalar;
    return x.unaryExpr([by](T v) { return v != 0 ? T{by} : v; });
  });
}

}  // namespace

void RegisterExtendedReplaceZero(OpRegistry& registry) {
  AddFusedKernel(registry, "ReplaceZero", ReplaceZero);
}

}  // namespace onnxcmp
