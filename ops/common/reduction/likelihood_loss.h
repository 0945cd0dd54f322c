// The loss that NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss end with.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_LIKELIHOOD_LOSS_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_LIKELIHOOD_LOSS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct LossOptions {
  enum class Reduction : uint8_t { kNone, kSum, kMean };
  Reduction reduction = Reduction::kMean;
  std::optional<int64_t> ignored;  // the target that counts nothing
  bool zero_of_nothing = false;    // the mean of no loss is 0, not NaN

  // Reads `reduction` and `ignore_index`; in com.microsoft the mean of nothing is 0.
  static absl::StatusOr<LossOptions> FromNode(const KernelInit& node);
  // As above, but `ignored` is input 3 if that is given: com.microsoft's Internal operators.
  absl::StatusOr<LossOptions> WithInputs(const KernelContext& ctx) const;
};

// The target (input 1) has the shape of the scores (input 0) without axis 1, the optional weights
// (input 2) one element for each class.
absl::Status CheckLossInputs(const KernelContext& ctx);

// Output 0 from log-probabilities (N, C, ...) in C, which is float or double:
// loss = -log_probability[target] * weight[target], summed, or divided by the sum of the weights.
template <typename C>
absl::Status EmitLikelihoodLoss(KernelContext& ctx, const Tensor& log_probabilities,
                                const LossOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_LIKELIHOOD_LOSS_H_
