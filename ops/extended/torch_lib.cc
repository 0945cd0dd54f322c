#include <cstdint>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// Rank (pkg.onnxscript.torch_lib and .common 1): the number of dimensions, an int64 scalar.
absl::Status Rank(KernelContext& ctx) {
  return ctx.SetOutput(0, Tensor::Scalar<int64_t>(ctx.Input(0).rank()));
}

// IsScalar (pkg.onnxscript.torch_lib and .common 1): whether the rank is 0.
absl::Status IsScalar(KernelContext& ctx) {
  return ctx.SetOutput(0, Tensor::Scalar<bool>(ctx.Input(0).rank() == 0));
}

}  // namespace

// Exporters write the bodies of these functions into the model; these are for models that lost
// them.
void RegisterExtendedTorchLib(OpRegistry& registry) {
  for (const char* domain : {"pkg.onnxscript.torch_lib", "pkg.onnxscript.torch_lib.common"}) {
    registry.Add(domain, "Rank", {1}, Rank);
    registry.Add(domain, "IsScalar", {1}, IsScalar);
  }
}

}  // namespace onnxcmp
