// Stage 15, reconvergence: takes back pairs by structure whose values are apart although all that
// is made of them agrees. They are inner forms of a rewritten region, not the same quantity gone
// wrong.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_

#include <utility>
#include <vector>

#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

// Returns what was taken back: left, right.
std::vector<std::pair<int, int>> TakeBackReconverging(Pairing& pairing,
                                                      const ValueEvidence& evidence);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_
