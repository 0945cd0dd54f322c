// Families of results that share numbers: a whole, its slices, the parts it is concatenated from.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_SHARED_QUANT_PARAMS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_SHARED_QUANT_PARAMS_H_

#include <vector>

#include "compare/quantization/counterpart_run.h"
#include "compare/quantization/wrong_quant_params.h"

namespace onnxcmp {

// Quantizers pass the scale of a tensor on to results that only move its elements. So results of
// one scale and zero point in one family get the range of the whole family: a slice that uses a
// small part of the whole's scale is no mistake.
void TakeRangesOfWholes(const CounterpartRun& run, std::vector<FixedQuantParams>* all_params);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_SHARED_QUANT_PARAMS_H_
