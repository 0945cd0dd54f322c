// Activations that fused operators apply to their result, in place and by name.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_ACTIVATION_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_ACTIVATION_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnxcmp {

class Activation {
 public:
  // The identity.
  Activation() = default;

  // Relu, Tanh, Sigmoid, LeakyRelu (alpha), Clip (min, max), HardSigmoid (alpha, beta), HardSwish
  // (of 1 / 6 and 0.5; parameters that are given do not count, as in onnxruntime), Elu (alpha),
  // Selu (alpha, gamma), Celu (alpha), Softplus, Softsign, ThresholdedRelu (alpha), ScaledTanh
  // (alpha, beta), ParametricSoftplus (alpha, beta), Silu, FastGelu, SquaredRelu; "" is the
  // identity. InvalidArgument for another name or if parameters are missing.
  static absl::StatusOr<Activation> Make(absl::string_view name,
                                         absl::Span<const float> parameters);

  bool is_identity() const { return kind_ == Kind::kIdentity; }

  static Activation Relu() { return Activation(Kind::kRelu); }
  // x * sigmoid(x).
  static Activation Silu() { return Activation(Kind::kSilu); }
  // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
  static Activation FastGelu() { return Activation(Kind::kFastGelu); }

  // max(x, 0)^2.
  static Activation SquaredRelu() { return Activation(Kind::kSquaredRelu); }

  // x = f(x). The same bits as the operator of that name.
  void Apply(float* x, int64_t count) const;
  void Apply(double* x, int64_t count) const;

 private:
  enum class Kind : uint8_t {
    kIdentity,
    kRelu,
    kTanh,
    kSigmoid,
    kLeakyRelu,
    kClip,
    kHardSigmoid,
    kHardSwish,
    kElu,
    kSelu,
    kCelu,
    kSoftplus,
    kSoftsign,
    kThresholdedRelu,
    kScaledTanh,
    kParametricSoftplus,
    kSilu,
    kFastGelu,
    kSquaredRelu,
  };
  explicit Activation(Kind kind) : kind_(kind) {}
  struct Entry;
  static const Entry* Find(absl::string_view name);
  template <typename T>
  void ApplyTo(T* x, int64_t count) const;
  template <typename T>
  void ApplyToStrip(T* x, int64_t count) const;

  Kind kind_ = Kind::kIdentity;
  std::array<float, 2> parameters_ = {};
};

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_ACTIVATION_H_
