#include <array>
#include <cmath>
#include <cstdint>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/training/tensor_groups.h"

namespace onnxcmp {
namespace {

// Adagrad (ai.onnx.preview.training 1): G' = norm_coefficient * X + G, H += G' * G',
// X -= R / (1 + T * decay_factor) * G' / (sqrt(H) + epsilon).
Kernel Adagrad(const KernelInit& node) {
  const float norm_coefficient = node.Float("norm_coefficient");
  const float decay_factor = node.Float("decay_factor");
  const float epsilon = node.Float("epsilon");
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const double rate, ctx.ScalarInput<double>(0));
    OC_ASSIGN_OR_RETURN(const double steps, ctx.ScalarInput<double>(1));
    const double adjusted = rate / (1 + steps * double{decay_factor});
    return DispatchFloat(
        ctx.num_inputs() > 2 ? ctx.Input(2).dtype() : DType::kFloat, [&]<typename C>() {
          const auto update = [&](const std::array<C*, 3>& values, int64_t count) {
            const auto& [x, g, h] = values;
            for (int64_t i = 0; i < count; ++i) {
              const C gradient = C{norm_coefficient} * x[i] + g[i];
              h[i] += gradient * gradient;
              x[i] -= static_cast<C>(adjusted) * gradient / (std::sqrt(h[i]) + C{epsilon});
            }
          };
          return UpdateTensors<C, 3>(ctx, update);
        });
  };
}

}  // namespace

void RegisterTrainingAdagrad(OpRegistry& registry) {
  registry.Add(kTrainingDomain, "Adagrad", {1}, Adagrad);
}

}  // namespace onnxcmp
