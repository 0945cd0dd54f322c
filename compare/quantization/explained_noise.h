// How far outputs are apart by quantization that is honest.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_
#define ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/quantization/output_cost.h"
#include "compare/quantization/quantization.h"

namespace onnxcmp {

// Layers by how far they are from the other side by themselves, as places in the report.
struct SortedLayers {
  std::vector<size_t> honest;  // but for those whose error another layer has
  std::vector<size_t> standing_out;
};
// Nothing if too few layers could be measured for it to say something, or some have 16 bits.
std::optional<SortedLayers> SortLayers(const QuantizationReport& report);

// Runs the other side once, and from each of the worst layers that stand out.
std::optional<ExplainedNoise> ExplainNoise(const QuantizationReport& report, OutputCost* cost);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_EXPLAINED_NOISE_H_
