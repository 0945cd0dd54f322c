// Finds the results that a side computes from given ones.
#ifndef ONNXCMP_RECORD_STREAMS_DOWNSTREAM_H_
#define ONNXCMP_RECORD_STREAMS_DOWNSTREAM_H_

#include <vector>

#include "record/streams/result_stream.h"

namespace onnxcmp {

// By result: true if it is computed from these, which are left out unless they depend on each
// other.
std::vector<bool> Behind(const std::vector<int>& results, const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_DOWNSTREAM_H_
