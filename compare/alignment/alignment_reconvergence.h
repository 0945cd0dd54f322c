// Stage 15, reconvergence: withdraws structural pairs whose values are apart although their
// consumers agree. They are intermediate results of a rewritten region, not the same quantity with
// an error. Also moves pairs that stopped one step early.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_

#include <utility>
#include <vector>

#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

// Moves a pair on to a consumer of one of its results, if that is unpaired and much nearer: a
// convolution with a folded normalization that does almost nothing belongs to the normalization.
void MoveToNearer(Pairing& pairing);

// Returns the withdrawn pairs: left, right.
std::vector<std::pair<int, int>> TakeBackReconverging(Pairing& pairing,
                                                      const ValueEvidence& evidence);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_RECONVERGENCE_H_
