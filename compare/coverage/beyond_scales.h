// How far numbers go beyond what they are quantized to.
#ifndef ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_
#define ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_

#include "compare/streams/result_stream.h"

namespace onnxcmp {

// The share of QuantizeLinear nodes with one scale that numbers reach which it cuts off by more
// than a little of its range; 0 if there are no such nodes.
double ShareBeyondScales(const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_
