// The limits under which the fuzz targets run.
#ifndef ONNXCMP_TESTS_FUZZ_LIMITS_H_
#define ONNXCMP_TESTS_FUZZ_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "feed/generated_inputs.h"

namespace onnxcmp::fuzz {

inline constexpr int64_t kTensorBytes = int64_t{1} << 16;
inline constexpr int64_t kSteps = 3000;

inline LoadOptions LimitedLoad() { return {.max_nodes = 10'000}; }

inline EvaluatorOptions LimitedRun() {
  return {.threads = 1, .max_tensor = kTensorBytes, .max_steps = kSteps};
}

inline GeneratedInputs LimitedInputs() {
  GeneratedInputs inputs;
  inputs.max_tensor = kTensorBytes;
  return inputs;
}

// The error if only a mistake of ours leads to it; OK for all others.
inline absl::Status Mistake(const absl::Status& status) {
  return absl::IsInternal(status) || absl::IsUnknown(status) ? status : absl::OkStatus();
}

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_LIMITS_H_
