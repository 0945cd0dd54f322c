#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/training/tensor_groups.h"

namespace onnxcmp {
namespace {

// Momentum (ai.onnx.preview.training 1): G' = norm_coefficient * X + G, V = alpha * V + beta' * G'
// where beta' is beta for T > 0, else 1; X -= R * V, or with Nesterov's momentum
// X -= R * (G' + alpha * V).
absl::StatusOr<Kernel> Momentum(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  const float beta = node.Float("beta");
  const float norm_coefficient = node.Float("norm_coefficient");
  const std::string mode = node.String("mode");
  if (mode != "standard" && mode != "nesterov") {
    return absl::InvalidArgumentError(
        absl::StrCat("mode must be standard or nesterov, not ", mode));
  }
  return [=, nesterov = mode == "nesterov"](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const double rate, ctx.ScalarInput<double>(0));
    OC_ASSIGN_OR_RETURN(const double steps, ctx.ScalarInput<double>(1));
    const float scale = steps > 0 ? beta : 1;
    return DispatchFloat(
        ctx.num_inputs() > 2 ? ctx.Input(2).dtype() : DType::kFloat, [&]<typename C>() {
          const auto update = [&](const std::array<C*, 3>& values, int64_t count) {
            const auto& [x, g, v] = values;
            for (int64_t i = 0; i < count; ++i) {
              const C gradient = C{norm_coefficient} * x[i] + g[i];
              v[i] = C{alpha} * v[i] + C{scale} * gradient;
              x[i] -= static_cast<C>(rate) * (nesterov ? gradient + C{alpha} * v[i] : v[i]);
            }
          };
          return UpdateTensors<C, 3>(ctx, update);
        });
  };
}

}  // namespace

void RegisterTrainingMomentum(OpRegistry& registry) {
  registry.Add(kTrainingDomain, "Momentum", {1}, Momentum);
}

}  // namespace onnxcmp
