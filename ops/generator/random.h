// Kernels of random numbers that are the same for the same seed, on every machine.
#ifndef ONNXCMP_OPS_GENERATOR_RANDOM_H_
#define ONNXCMP_OPS_GENERATOR_RANDOM_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// The attribute `seed`; without it the run's own seed decides.
struct RandomSeed {
  std::optional<float> seed;

  static RandomSeed FromNode(const KernelInit& node);
  RandomNumbers Numbers(const KernelContext& ctx) const;
};

// A tensor of `count` standard normal numbers to `out`, or of numbers in [0, 1).
void FillNormal(RandomNumbers& numbers, int64_t count, double* out);
void FillUniform(RandomNumbers& numbers, int64_t count, double* out);

// The kernels of RandomNormal(Like) and RandomUniform(Like): shift + scale * what `fill` draws. The
// shape is the attribute `shape`, or that of input 0.
absl::StatusOr<Kernel> RandomKernel(const KernelInit& node, bool like, double shift, double scale,
                                    void (*fill)(RandomNumbers&, int64_t, double*));

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_GENERATOR_RANDOM_H_
