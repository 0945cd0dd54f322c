// How far numbers go beyond what they are quantized to.
#ifndef ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_
#define ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_

#include "compare/streams/result_stream.h"

namespace onnxcmp {

// By how much of a QuantizeLinear's range at most numbers lie outside of it, of those with one
// scale; 0 if none do.
double BeyondScales(const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COVERAGE_BEYOND_SCALES_H_
