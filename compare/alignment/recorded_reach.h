// How near a recorded result has to be to the model's, by what types and quantization do to it.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_
#define ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_

#include "compare/streams/result_stream.h"

namespace onnxcmp {

// How far two results may be apart and still be the same, by what their types do to them and, where
// one is quantized on the way, by what that does.
double ReachOf(const StreamResult& a, const StreamResult& b);

// True if a model rounds the one result to get the other: an activation that the range of the
// integers does has left its name to the layer before.
bool IsQuantizedFrom(const ResultStream& model, int rounded, int before);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_RECORDED_REACH_H_
