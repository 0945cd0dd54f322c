// Dropping elements at random: what Dropout and its fused forms share.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTWISE_DROPOUT_H_
#define ONNXCMP_OPS_COMMON_ELEMENTWISE_DROPOUT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// The elements that a run drops: each with the probability `ratio`, drawn from this generator.
struct DropoutDraw {
  double ratio;
  uint32_t seed;
};

// Where the numbers come from: the attribute `seed`, without it the run's own.
struct DropoutSeed {
  explicit DropoutSeed(const KernelInit& node)
      : given(node.Has("seed")), value(node.Int("seed", 0)) {}
  DropoutSeed() = default;

  bool given = false;
  int64_t value = 0;
};

// Nothing if nothing is dropped: outside of training, and for a ratio of 0.
absl::StatusOr<std::optional<DropoutDraw>> DrawOf(const KernelContext& ctx, double ratio,
                                                  bool training, const DropoutSeed& seed);

// The same for the optional inputs `ratio` (0.5 by default) and `training_mode` (false).
absl::StatusOr<std::optional<DropoutDraw>> DrawOfInputs(const KernelContext& ctx, int ratio,
                                                        int training_mode, const DropoutSeed& seed);

// y[i] = x[i] / (1 - ratio) and mask[i] = 1 where number i of the generator, NumPy's
// RandomState(seed).uniform() as in ONNX's tests, is at least `ratio`; else 0 * x[i] and 0. y may
// be x.
template <typename C>
void DropElements(const DropoutDraw& draw, const C* x, int64_t count, C* y, uint8_t* mask);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTWISE_DROPOUT_H_
