// Stage 19, recordings: pairs what was recorded where values alone do not: by names, by place, by
// what is said.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_RECORDED_PAIRS_H_
#define ONNXCMP_COMPARE_ALIGNMENT_RECORDED_PAIRS_H_

#include <cstdint>
#include <vector>

#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// As many elements may be anywhere by chance.
inline constexpr int64_t kHandful = 8;

// Pairs for an alignment of which a side was recorded, the surest first.
//
// Names that most recorded results share with the other side, and that mostly have its values, are
// believed: what has such a name corresponds to its namesake, whatever else its value is like.
// Other recorded results that no value found a partner for take, if it is free, that of their name;
// that of the same size whose name has all parts of theirs in order ("layer.1.dense" and
// "/layer.1/dense/Add_output_0"), of several the last of those with the fewest other parts; the
// only one of their shape between what their neighbours are paired with.
std::vector<AddedPair> PairRecorded(const Alignment& alignment, const ResultStream& left,
                                    const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_RECORDED_PAIRS_H_
