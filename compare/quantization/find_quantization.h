// Examines the quantized side layer by layer against the float results of the other side.
// docs/quantization.md tells how.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_
#define ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/cause.h"
#include "compare/quantization/quantization.h"
#include "compare/sides/pair_values.h"
#include "evaluator/base/thread_pool.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct QuantizationOptions {
  int64_t search_memory = int64_t{4} << 30;  // for the results of both sides
  // Measure each layer's cost: for each, a run of the other side from there on.
  bool costs = false;
  bool cost_of_noisiest = false;  // the same for a few layers, those with the greatest own error
  bool made_up = false;  // the inputs were: how far they go says nothing of their own scales
  PairValues::Watch watch;
  const ThreadPool* pool = nullptr;
};

// Takes two sides that have been recorded and aligned, one of them quantized; if both are, examines
// the right's layers. Also reviews `causes`, which were found without regard to quantization
// parameters (ReviewCauses), unless it is null. Nothing if neither side is quantized.
absl::StatusOr<std::optional<QuantizationReport>> FindQuantization(
    const PerSide<RecordedSide>& sides, const Alignment& alignment,
    const QuantizationOptions& options, std::vector<Cause>* causes,
    std::vector<DismissedCause>* dismissed);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_
