// Pairs the results of a converted side with those of the side that it was made from, by the names
// that converters keep or give.
#ifndef ONNXCMP_COMPARE_CONVERSION_CONVERTED_PARTNERS_H_
#define ONNXCMP_COMPARE_CONVERSION_CONVERTED_PARTNERS_H_

#include <vector>

#include "compare/quantization/quant_params.h"
#include "record/graphs/side_graph.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// True for nodes that pass on the same numbers in another type: Cast, QuantizeLinear,
// DequantizeLinear, DynamicQuantizeLinear.
bool PassesNumbers(const StreamNode& made);

// By result of the converted side, its partner of equal size on the plain side or kNone: the result
// of the same name, without a quantizer's suffix; else the aligned one; else that of the number
// which a node passes on. `aligned`: by result of the converted side.
std::vector<int> ConvertedPartners(const SideGraph& plain, const SideGraph& converted,
                                   const QuantParamsByResult& params,
                                   const std::vector<int>& aligned, bool quantized);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CONVERTED_PARTNERS_H_
