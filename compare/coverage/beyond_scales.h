// Measures how far numbers exceed the range that they are quantized to.
#ifndef ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_
#define ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_

#include "compare/streams/result_stream.h"

namespace onnxcmp {

// The greatest excess of numbers over the range of a QuantizeLinear with one scale, relative to
// that range; 0 if there is none.
double BeyondScales(const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_
