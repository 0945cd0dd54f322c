// Settles claims on results: the surest first. Everybody proposes (rules.h), this decides.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_SETTLE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_SETTLE_H_

#include <vector>

#include "compare/alignment/alignment.h"
#include "compare/alignment/claim.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct Settled {
  Alignment alignment;
  std::vector<int> before;  // by row: the row of `aligned` that it was, kNone: it is new
};

// `aligned`, as the claims change it, each of which gets its outcome. A claim is left out if one of
// its results is absorbed by another's row. Former partners of claimed results stand alone, and so
// do results that their rows had absorbed.
Settled Settle(const Alignment& aligned, std::vector<Claim>* claims, const ResultStream& left,
               const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_SETTLE_H_
