// Stage 15, reconvergence: takes back pairs by structure whose values are apart although all that
// is made of them agrees. They are inner forms of a rewritten region, not the same quantity gone
// wrong. And moves on those that stopped one step early.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_

#include <utility>
#include <vector>

#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

// Moves pairs on to what is made of one of the two, if that has no partner and is nearer by far: a
// convolution that took a normalization in which does next to nothing is what that gave.
void MoveToNearer(Pairing& pairing);

// Returns what was taken back: left, right.
std::vector<std::pair<int, int>> TakeBackReconverging(Pairing& pairing,
                                                      const ValueEvidence& evidence);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_
