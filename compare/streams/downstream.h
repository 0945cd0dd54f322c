// What a side computes from some of its results.
#ifndef ONNXCMP_COMPARE_STREAMS_DOWNSTREAM_H_
#define ONNXCMP_COMPARE_STREAMS_DOWNSTREAM_H_

#include <vector>

#include "compare/streams/result_stream.h"

namespace onnxcmp {

// By result: computed from these, themselves left out unless they are so too.
std::vector<bool> Behind(const std::vector<int>& results, const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STREAMS_DOWNSTREAM_H_
