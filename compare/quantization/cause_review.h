// Review of causes that were found without regard to quantization parameters.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_CAUSE_REVIEW_H_
#define ONNXCMP_COMPARE_QUANTIZATION_CAUSE_REVIEW_H_

#include <vector>

#include "compare/causes/cause.h"
#include "compare/quantization/counterpart_run.h"
#include "compare/quantization/quantization.h"

namespace onnxcmp {

// Dismisses causes whose node gives the other side's result on the other side's values,
// reclassifies causes that are correct quantization, and puts mistakes first, in place of other
// causes of their layers. Between two quantized sides, a mistake takes the place and kind of the
// cause measured in its layer, if any, with the mistake's words after that cause's own.
void ReviewCauses(const CounterpartRun& run, const QuantizationReport& report,
                  std::vector<Cause>* causes, std::vector<DismissedCause>* dismissed);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_CAUSE_REVIEW_H_
