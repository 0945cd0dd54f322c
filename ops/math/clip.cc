#include <array>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// A bound as a scalar.
absl::StatusOr<Tensor> Bound(const KernelContext& ctx, int index, const char* name) {
  const Tensor& bound = ctx.Input(index);
  if (bound.num_elements() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", bound.num_elements(), " elements, not 1"));
  }
  return bound.Strided({}, {}, bound.offset());
}

absl::Status ClipToInputs(KernelContext& ctx) {
  Tensor x = ctx.Input(0);
  Tensor least;
  Tensor greatest;
  if (ctx.HasInput(1)) {
    OC_ASSIGN_OR_RETURN(least, Bound(ctx, 1, "min"));
  }
  if (ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(greatest, Bound(ctx, 2, "max"));
  }
  if (least.defined() && greatest.defined()) {
    OC_ASSIGN_OR_RETURN(
        x,
        Elementwise(Numbers{}, ctx, std::array<const Tensor*, 3>{&x, &least, &greatest}, x.dtype(),
                    [](auto v, auto min, auto max) { return vec::Min(vec::Max(v, min), max); }));
    return ctx.SetOutput(0, std::move(x));
  }
  if (least.defined()) {
    return EmitBinary<Numbers>(ctx, x, least, [](auto v, auto min) { return vec::Max(v, min); });
  }
  if (greatest.defined()) {
    return EmitBinary<Numbers>(ctx, x, greatest, [](auto v, auto max) { return vec::Min(v, max); });
  }
  return ctx.SetOutput(0, std::move(x));
}

// Clip (ai.onnx 1, 6, 11, 12, 13): Y = min(max(X, min), max); NaN stays NaN. Bounds are attributes
// before 11, and by default the greatest finite floats in 6; afterwards inputs. A bound that is
// left out does not bind, as in the function body, though the text calls it the greatest finite
// number.
Kernel Clip(const KernelInit& node) {
  if (node.version() >= 11) {
    return ClipToInputs;
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool has_defaults = node.version() >= 6;
  const float least = has_defaults ? node.Float("min") : node.Float("min", -kInfinity);
  const float greatest = has_defaults ? node.Float("max") : node.Float("max", kInfinity);
  return UnaryKernel<Floats>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return vec::Min(vec::Max(x, T{least}), T{greatest});
  });
}

}  // namespace

void RegisterClip(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Clip", AllVersions(1, 13), Clip);
}

}  // namespace onnxcmp
