// Words of a comparison about its proof: of the verdict, of rows, of rewrites.
#ifndef ONNXCMP_REPORTS_WORDS_PROOF_WORDS_H_
#define ONNXCMP_REPORTS_WORDS_PROOF_WORDS_H_

#include <string>
#include <vector>

#include "compare/causes/cause.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "prove/rewrites.h"

namespace onnxcmp {

// "same for all inputs of these shapes (proved), but for rounding, overflow and NaN"; "" if not
// both are proved and agree on numbers.
std::string ProvedVerdict(const Comparison& comparison);
// The same beside outputs that differ, as by a conversion; "" if it is not proved.
std::string ProvedButDifferent(const Comparison& comparison);

// "but not proved for all inputs of these shapes: y: differs in exact arithmetic", or at which
// other sizes it is not, where outputs agree; "" if it is proved, or not requested.
std::string NotProvedText(const Comparison& comparison);

// "2 × Exp+ReduceSum+Div → Softmax: proved; Resize: tested"; "" if there are none. `all`: the list
// is not cut.
std::string RewritesText(const Comparison& comparison, bool all);

// Pairs by finding, for a legend of marks: "12 pairs proved (✓), 1 not proved (?)". `marks`: by
// RowProof; none: without them.
std::string ProvedPairsText(const Comparison& comparison, const std::vector<std::string>& marks);

// All that is said of the proof below the verdict, a line each, without what the verdict says;
// none without a proof. `all`: no list is cut.
std::vector<std::string> ProofLines(const Comparison& comparison, bool all);

// That a cause is a fault in exact arithmetic, or one of rounding alone; "" if that is not known.
std::string CauseProofText(const Comparison& comparison, const Cause& cause);
// The row of the pair that a cause is about.
RowProof CauseProofOf(const Comparison& comparison, const Cause& cause);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_PROOF_WORDS_H_
