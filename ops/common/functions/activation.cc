#include "ops/common/functions/activation.h"

#include <algorithm>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "ops/common/functions/gelu_tanh.h"
#include "ops/common/functions/if_negative.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {

struct Activation::Entry {
  absl::string_view name;
  Kind kind;
  int parameters;
};

const Activation::Entry* Activation::Find(absl::string_view name) {
  static constexpr Entry kEntries[] = {
      {"", Kind::kIdentity, 0},
      {"Relu", Kind::kRelu, 0},
      {"Tanh", Kind::kTanh, 0},
      {"Sigmoid", Kind::kSigmoid, 0},
      {"LeakyRelu", Kind::kLeakyRelu, 1},
      {"Clip", Kind::kClip, 2},
      {"HardSigmoid", Kind::kHardSigmoid, 2},
      {"HardSwish", Kind::kHardSwish, 0},
      {"Elu", Kind::kElu, 1},
      {"Selu", Kind::kSelu, 2},
      {"Celu", Kind::kCelu, 1},
      {"Softplus", Kind::kSoftplus, 0},
      {"Softsign", Kind::kSoftsign, 0},
      {"ThresholdedRelu", Kind::kThresholdedRelu, 1},
      {"ScaledTanh", Kind::kScaledTanh, 2},
      {"ParametricSoftplus", Kind::kParametricSoftplus, 2},
      {"Silu", Kind::kSilu, 0},
      {"FastGelu", Kind::kFastGelu, 0},
      {"SquaredRelu", Kind::kSquaredRelu, 0},
  };
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

absl::StatusOr<Activation> Activation::Make(absl::string_view name,
                                            absl::Span<const float> parameters) {
  const Entry* entry = Find(name);
  if (entry == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("unknown activation \"", name, "\""));
  }
  if (static_cast<int>(parameters.size()) < entry->parameters) {
    return absl::InvalidArgumentError(absl::StrCat("the activation ", name, " takes ",
                                                   entry->parameters, " parameters, not ",
                                                   parameters.size()));
  }
  Activation activation;
  activation.kind_ = entry->kind;
  std::copy_n(parameters.begin(), entry->parameters, activation.parameters_.begin());
  return activation;
}

template <typename T>
void Activation::ApplyToStrip(T* data, int64_t count) const {
  Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>> x(data, count);
  const T alpha = static_cast<T>(parameters_[0]);
  const T beta = static_cast<T>(parameters_[1]);
  using Strip = vec::Strip<T>;
  // NaN stays NaN.
  const auto at_least = [](const Strip& y, T low) { return Strip((y < low).select(low, y)); };
  const auto at_most = [](const Strip& y, T high) { return Strip((y > high).select(high, y)); };
  // log(1 + e^x) without overflow.
  const auto softplus = [&](const Strip& y) {
    return Strip(at_least(y, T{0}) + vec::Log1p(vec::Exp(-y.abs())));
  };
  switch (kind_) {
    case Kind::kIdentity:
      break;
    case Kind::kRelu:
      x = (x < T{0}).select(T{0}, x);
      break;
    case Kind::kTanh:
      x = vec::Tanh(x);
      break;
    case Kind::kSigmoid:
      x = vec::Sigmoid(x);
      break;
    case Kind::kLeakyRelu:
      x = IfNegative(x, alpha * x);
      break;
    case Kind::kClip:
      x = at_most(at_least(x, alpha), beta);
      break;
    case Kind::kHardSigmoid:
      x = at_least(at_most(alpha * x + beta, T{1}), T{0});
      break;
    case Kind::kHardSwish:
      x *= at_least(at_most(x * (T{1} / T{6}) + T{0.5}, T{1}), T{0});
      break;
    case Kind::kElu:
      x = IfNegative(x, alpha * vec::Expm1(x));
      break;
    case Kind::kSelu:
      x = beta * IfNegative(x, alpha * vec::Expm1(x));
      break;
    case Kind::kCelu:
      x = at_least(x, T{0}) + at_most(alpha * vec::Expm1(x / alpha), T{0});
      break;
    case Kind::kSoftplus:
      x = softplus(x);
      break;
    case Kind::kSoftsign:
      x = x / (T{1} + x.abs());
      break;
    case Kind::kThresholdedRelu:
      x = (x <= alpha).select(T{0}, x);
      break;
    case Kind::kScaledTanh:
      x = alpha * vec::Tanh(beta * x);
      break;
    case Kind::kParametricSoftplus:
      x = alpha * softplus(beta * x);
      break;
    case Kind::kSilu:
      x *= vec::Sigmoid(x);
      break;
    case Kind::kFastGelu:
      x = GeluTanh(x);
      break;
    case Kind::kSquaredRelu:
      x = (x < T{0}).select(T{0}, x * x);
      break;
  }
}

template <typename T>
void Activation::ApplyTo(T* x, int64_t count) const {
  if (is_identity()) return;
  for (; count >= vec::kMaxStrip; x += vec::kMaxStrip, count -= vec::kMaxStrip) {
    ApplyToStrip(x, vec::kMaxStrip);
  }
  if (count == 0) return;
  // Whole packets, so that no element takes the path of a remainder.
  alignas(64) T strip[vec::kMaxStrip];
  std::copy_n(x, count, strip);
  const int64_t padded = (count + 15) / 16 * 16;
  std::fill(strip + count, strip + padded, T{0});
  ApplyToStrip(strip, padded);
  std::copy_n(strip, count, x);
}

void Activation::Apply(float* x, int64_t count) const { ApplyTo(x, count); }
void Activation::Apply(double* x, int64_t count) const { ApplyTo(x, count); }

}  // namespace onnxcmp
