#include <array>
#include <cmath>
#include <cstdint>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/training/tensor_groups.h"

namespace onnxcmp {
namespace {

// Adam (ai.onnx.preview.training 1): G' = norm_coefficient * X + G,
// V = alpha * V + (1 - alpha) * G', H = beta * H + (1 - beta) * G' * G',
// X = (1 - norm_coefficient_post) * (X - R' * V / (sqrt(H) + epsilon)), where R' is
// R * sqrt(1 - beta^T) / (1 - alpha^T) for T > 0, else R.
Kernel Adam(const KernelInit& node) {
  const float alpha = node.Float("alpha");
  const float beta = node.Float("beta");
  const float epsilon = node.Float("epsilon");
  const float norm_coefficient = node.Float("norm_coefficient");
  const float norm_coefficient_post = node.Float("norm_coefficient_post");
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(double rate, ctx.ScalarInput<double>(0));
    OC_ASSIGN_OR_RETURN(const double steps, ctx.ScalarInput<double>(1));
    if (steps > 0) {
      rate *= std::sqrt(1 - std::pow(double{beta}, steps)) / (1 - std::pow(double{alpha}, steps));
    }
    return DispatchFloat(ctx.num_inputs() > 2 ? ctx.Input(2).dtype() : DType::kFloat,
                         [&]<typename C>() {
                           const auto update = [&](const std::array<C*, 4>& values, int64_t count) {
                             const auto& [x, g, v, h] = values;
                             for (int64_t i = 0; i < count; ++i) {
                               const C gradient = C{norm_coefficient} * x[i] + g[i];
                               v[i] = C{alpha} * v[i] + (1 - C{alpha}) * gradient;
                               h[i] = C{beta} * h[i] + (1 - C{beta}) * gradient * gradient;
                               x[i] -= static_cast<C>(rate) * v[i] / (std::sqrt(h[i]) + C{epsilon});
                               x[i] *= 1 - C{norm_coefficient_post};
                             }
                           };
                           return UpdateTensors<C, 4>(ctx, update);
                         });
  };
}

}  // namespace

void RegisterTrainingAdam(OpRegistry& registry) {
  registry.Add(kTrainingDomain, "Adam", {1}, Adam);
}

}  // namespace onnxcmp
