// The verdict of a comparison, and what in it is to be judged once more when causes are known.
#ifndef ONNXCMP_COMPARE_COMPARISON_VERDICT_H_
#define ONNXCMP_COMPARE_COMPARISON_VERDICT_H_

#include "absl/types/span.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/comparison/comparison.h"
#include "compare/comparison/exit_status.h"
#include "compare/differences/tolerance.h"
#include "compare/sides/side_summary.h"
#include "compare/verdict/output_comparison.h"

namespace onnxcmp {

// kFailed if a side did not run to its end; kDifferent unless there is something to compare and all
// of it agrees.
Verdict VerdictOf(const SideSummary& left, const SideSummary& right,
                  const OutputComparison& outputs);

// Whether outputs differ, and all that was found of causes are approximations that are in use by
// their own names; and how far outputs may then be apart.
bool DifferByKnownForms(const OutputComparison& outputs, absl::Span<const Cause> causes);
Tolerance ToleranceOfKnownForms();
// How far outputs may be apart where 8 bits were calibrated for other inputs than those that were
// made up: single elements are cut off.
Tolerance ToleranceOfOtherCalibration();

// Coarse types excuse what rounding to them explains, and nothing else: what wrong causes do to an
// output that agrees only by a wide tolerance counts. `effects` are those of the search for causes,
// before scales and zero points were looked at. `reviewed`: the causes are those after that, by
// which it is known which of them are honest.
OutputComparison RejudgeOutputs(OutputComparison outputs, absl::Span<const OutputEffect> effects,
                                absl::Span<const Cause> causes, bool reviewed);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COMPARISON_VERDICT_H_
