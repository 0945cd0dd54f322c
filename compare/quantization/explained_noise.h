// How far outputs are apart by quantization that is honest.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_
#define ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_

#include <optional>

#include "compare/quantization/quantization.h"

namespace onnxcmp {

struct ExplainedNoise {
  // Of the size of the outputs: what all layers cost together but those that stand out.
  double all = 0;
  // Of layers whose own error is far greater than that of most, and than what a grid that fits
  // makes of their numbers, the one that costs most.
  std::optional<QuantizedLayer> standing_out;
};

// Of a report with costs; nothing if too few layers could be weighed for it to say something.
std::optional<ExplainedNoise> ExplainNoise(const QuantizationReport& report);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_
