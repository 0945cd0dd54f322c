// Estimates how far correct quantization moves the outputs.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_
#define ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/quantization/output_cost.h"
#include "compare/quantization/quantization.h"

namespace onnxcmp {

// Layers by their local error, as indices into the report.
struct SortedLayers {
  std::vector<size_t> honest;  // without layers whose error another layer includes
  std::vector<size_t> standing_out;
};
// Nothing if too few layers could be measured to judge, or if some have 16 bits.
std::optional<SortedLayers> SortLayers(const QuantizationReport& report);

// Runs the other side once, and once more from each of the worst outliers.
std::optional<ExplainedNoise> ExplainNoise(const QuantizationReport& report, OutputCost* cost);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_
