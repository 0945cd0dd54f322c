// The greatest distance of a recorded result from its partner, by their types and quantization.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_
#define ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_

#include "record/streams/result_stream.h"

namespace onnxcmp {

// The distance within which two results may be the same quantity: the rounding of their types, and
// the noise of quantization if one of them is computed from quantized values.
double ReachOf(const StreamResult& a, const StreamResult& b);

// True if `rounded` is `before` after quantization: the activation was folded into the quantized
// range, and its layer kept the name.
bool IsQuantizedFrom(const ResultStream& model, int rounded, int before);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_
