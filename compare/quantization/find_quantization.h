// Looks at what is quantized on one side, layer by layer, beside the float results of the other.
// docs/quantization.md tells how.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_
#define ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/comparison/comparison.h"
#include "compare/quantization/quantization.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

struct QuantizationOptions {
  int64_t max_memory = int64_t{256} << 20;  // of the values of both sides
  // Whether each layer's cost is measured: a run of the other side from there on for each.
  bool costs = false;
  PairValues::Watch watch;
};

// Whether a side has nodes that quantize.
bool IsQuantized(const ResultStream& stream);

// Whether one side is quantized, or both otherwise: two that have most of their integers, scales
// and zero points in common do not differ by that, and what does is found without looking at it.
bool DifferInQuantization(const ResultStream& left, const ResultStream& right);

// Of two sides that have been recorded and aligned, one of them quantized. The right's layers are
// looked at if both are. Judges `causes` besides, which were found without looking at grids: those
// that turn out to be none are taken away, those that are honest become quantization, and mistakes
// are put in front. Nothing if neither side is quantized.
absl::StatusOr<std::optional<QuantizationReport>> FindQuantization(
    const RecordedSide& left, const RecordedSide& right, const Alignment& alignment,
    const QuantizationOptions& options, std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_FIND_QUANTIZATION_H_
