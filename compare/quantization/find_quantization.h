// Looks at what is quantized on one side, layer by layer, beside the float results of the other.
// docs/quantization.md tells how.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_
#define ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/cause.h"
#include "compare/pair/per_side.h"
#include "compare/quantization/quantization.h"
#include "compare/sides/pair_values.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {

struct QuantizationOptions {
  int64_t search_memory = int64_t{4} << 30;  // for the results of both sides
  // Whether each layer's cost is measured: a run of the other side from there on for each.
  bool costs = false;
  bool made_up = false;  // the inputs were: how far they go says nothing of their own scales
  bool explain = false;  // whether it is asked how far honest layers move the outputs
  PairValues::Watch watch;
  const ThreadPool* pool = nullptr;
};

// Of two sides that have been recorded and aligned, one of them quantized. The right's layers are
// looked at if both are. Also judges `causes`, which were found without looking at grids: those
// that turn out to be none are taken away, those that are honest become quantization, and mistakes
// are put first. Nothing if neither side is quantized.
absl::StatusOr<std::optional<QuantizationReport>> FindQuantization(
    const PerSide<RecordedSide>& sides, const Alignment& alignment,
    const QuantizationOptions& options, std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_
