// Stage 19, recordings: pairs recorded results that values alone do not pair: by names, by
// position, by metadata.
#ifndef ONNXCMP_COMPARE_RECORDED_NAMES_AND_VALUES_H_
#define ONNXCMP_COMPARE_RECORDED_NAMES_AND_VALUES_H_

#include <vector>

#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Pairs for an alignment with a recorded side, the surest first.
//
// Names are trusted if most recorded results share theirs with the other side, mostly with its
// values: then a result corresponds to its namesake whatever its value is. Other recorded results
// without a partner by value take, if it is free, their namesake; else a result of the same size
// whose name has all parts of theirs in order ("layer.1.dense" and "/layer.1/dense/Add_output_0"),
// of several the last of those with the fewest other parts; else the only one of their shape
// between the partners of their neighbours.
std::vector<AddedPair> PairRecorded(const Alignment& alignment, const ResultStream& left,
                                    const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_NAMES_AND_VALUES_H_
