// Causes that were found without looking at grids, judged again by them.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_CAUSE_REVIEW_H_
#define ONNXCMP_COMPARE_QUANTIZATION_CAUSE_REVIEW_H_

#include <vector>

#include "compare/causes/cause.h"
#include "compare/quantization/quantization.h"
#include "compare/quantization/twin_run.h"

namespace onnxcmp {

// Takes away what the quantized side does as the other on the other's values, calls quantization
// what is honest, and puts the mistakes first, in place of what else was said of their layers;
// between two quantized sides at the place and of the kind that was measured in the layer, if any,
// with the mistake's words after that cause's own.
void ReviewCauses(const TwinRun& run, const QuantizationReport& report, std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_CAUSE_REVIEW_H_
