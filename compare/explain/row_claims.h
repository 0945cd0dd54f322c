// The claims on a row's results: who proposed which partner, and how it ended.
#ifndef ONNXCMP_COMPARE_EXPLAIN_ROW_CLAIMS_H_
#define ONNXCMP_COMPARE_EXPLAIN_ROW_CLAIMS_H_

#include <vector>
#include "compare/alignment/alignment.h"

#include "compare/alignment/claim.h"
#include "compare/outputs/compared_row.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Claims on one or both of two results, kNone if there is none, the surest first: those of the
// rules for recordings, which were kept, and those of the aligner, which aligns once more. At most
// as many as are shown. `row`: the row that pairs them.
std::vector<Claim> ClaimsOn(int left, int right, const AlignedRow& row,
                            const ComparedSides& compared);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_EXPLAIN_ROW_CLAIMS_H_
