#include "ops/common/recurrent/recurrent_activation.h"

#include <optional>

#include <Eigen/Core>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ops/common/functions/if_negative.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {
namespace {

using Function = RecurrentActivation::Function;

struct Description {
  absl::string_view name;
  Function function;
  bool takes_alpha = false;
  bool takes_beta = false;
  // The defaults of the ONNX operator of that name; ScaledTanh's has none.
  std::optional<float> alpha;
  std::optional<float> beta;
};

const Description kDescriptions[] = {
    {"Affine", Function::kAffine, true, true, 1.0f, 0.0f},
    {"Elu", Function::kElu, true, false, 1.0f, {}},
    {"HardSigmoid", Function::kHardSigmoid, true, true, 0.2f, 0.5f},
    {"LeakyRelu", Function::kLeakyRelu, true, false, 0.01f, {}},
    {"Relu", Function::kRelu, false, false, {}, {}},
    {"ScaledTanh", Function::kScaledTanh, true, true, {}, {}},
    {"Sigmoid", Function::kSigmoid, false, false, {}, {}},
    {"Softplus", Function::kSoftplus, false, false, {}, {}},
    {"Softsign", Function::kSoftsign, false, false, {}, {}},
    {"Tanh", Function::kTanh, false, false, {}, {}},
    {"ThresholdedRelu", Function::kThresholdedRelu, true, false, 1.0f, {}},
};

// The next of the values, else the default.
absl::StatusOr<float> Next(absl::Span<const float> values, size_t& used,
                           std::optional<float> fallback, absl::string_view function,
                           absl::string_view parameter) {
  if (used < values.size()) {
    return values[used++];
  }
  if (!fallback.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("activation ", function, " needs an activation_", parameter));
  }
  return *fallback;
}

}  // namespace

template <typename C>
void RecurrentActivation::Apply(C* data, int64_t count) const {
  Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>> x(data, count);
  const C a = alpha;
  const C b = beta;
  // Comparisons are written so that NaN stays NaN.
  switch (function) {
    case Function::kAffine:
      x = a * x + b;
      return;
    case Function::kElu:
      for (int64_t i = 0; i < count; ++i) {
        if (data[i] < 0) {
          vec::Expm1(data + i, 1, data + i);
          data[i] *= a;
        }
      }
      return;
    case Function::kHardSigmoid:
      x = a * x + b;
      x = (x < C{0}).select(C{0}, x);
      x = (x > C{1}).select(C{1}, x);
      return;
    case Function::kLeakyRelu:
      x = IfNegative(x, a * x);
      return;
    case Function::kRelu:
      x = (x < C{0}).select(C{0}, x);
      return;
    case Function::kScaledTanh:
      x *= b;
      vec::Tanh(data, count, data);
      x *= a;
      return;
    case Function::kSigmoid:
      vec::Sigmoid(data, count, data);
      return;
    case Function::kSoftplus:
      // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), which does not overflow.
      for (int64_t i = 0; i < count; ++i) {
        C tail = -std::abs(data[i]);
        vec::Exp(&tail, 1, &tail);
        vec::Log1p(&tail, 1, &tail);
        data[i] = (data[i] < 0 ? C{0} : data[i]) + tail;
      }
      return;
    case Function::kSoftsign:
      x = x / (C{1} + x.abs());
      return;
    case Function::kTanh:
      vec::Tanh(data, count, data);
      return;
    case Function::kThresholdedRelu:
      x = (x < a).select(C{0}, x);
      return;
  }
}
template void RecurrentActivation::Apply<float>(float*, int64_t) const;
template void RecurrentActivation::Apply<double>(double*, int64_t) const;

absl::StatusOr<std::vector<RecurrentActivation>> ParseRecurrentActivations(
    absl::Span<const std::string> names, absl::Span<const float> alphas,
    absl::Span<const float> betas) {
  std::vector<RecurrentActivation> activations;
  size_t used_alphas = 0;
  size_t used_betas = 0;
  for (const std::string& name : names) {
    const Description* found = nullptr;
    for (const Description& description : kDescriptions) {
      if (absl::EqualsIgnoreCase(description.name, name)) {
        found = &description;
      }
    }
    if (found == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("activations: unknown activation '", name, "'"));
    }
    RecurrentActivation& activation = activations.emplace_back();
    activation.function = found->function;
    if (found->takes_alpha) {
      absl::StatusOr<float> alpha = Next(alphas, used_alphas, found->alpha, found->name, "alpha");
      if (!alpha.ok()) {
        return alpha.status();
      }
      activation.alpha = *alpha;
    }
    if (found->takes_beta) {
      absl::StatusOr<float> beta = Next(betas, used_betas, found->beta, found->name, "beta");
      if (!beta.ok()) {
        return beta.status();
      }
      activation.beta = *beta;
    }
  }
  return activations;
}

}  // namespace onnxcmp
