// Measures how far numbers exceed the range that they are quantized to.
#ifndef ONNXCMP_FEED_COVERAGE_BEYOND_SCALES_H_
#define ONNXCMP_FEED_COVERAGE_BEYOND_SCALES_H_

#include "record/streams/result_stream.h"

namespace onnxcmp {

// The greatest excess of numbers over the range of a QuantizeLinear with one scale, relative to
// that range; 0 if there is none.
double BeyondScales(const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_COVERAGE_BEYOND_SCALES_H_
