// The activation functions that recurrent operators name in their attributes.
#ifndef ONNXCMP_OPS_COMMON_RECURRENT_RECURRENT_ACTIVATION_H_
#define ONNXCMP_OPS_COMMON_RECURRENT_RECURRENT_ACTIVATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace onnxcmp {

struct RecurrentActivation {
  enum class Function : uint8_t {
    kAffine,
    kElu,
    kHardSigmoid,
    kLeakyRelu,
    kRelu,
    kScaledTanh,
    kSigmoid,
    kSoftplus,
    kSoftsign,
    kTanh,
    kThresholdedRelu,
  };
  Function function = Function::kSigmoid;
  float alpha = 0;
  float beta = 0;

  // x[i] = f(x[i]); C: float or double.
  template <typename C>
  void Apply(C* x, int64_t count) const;
};

// One activation for each name (in any case). The functions that take an alpha or a beta take the
// next value of the list, or the function's default when the list has run out.
absl::StatusOr<std::vector<RecurrentActivation>> ParseRecurrentActivations(
    absl::Span<const std::string> names, absl::Span<const float> alphas,
    absl::Span<const float> betas);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_RECURRENT_RECURRENT_ACTIVATION_H_
