// The verdict of a comparison, and corrections of it once causes are known.
#ifndef ONNXCMP_COMPARE_OUTCOME_VERDICT_H_
#define ONNXCMP_COMPARE_OUTCOME_VERDICT_H_

#include "absl/types/span.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/side_summary.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

// kFailed if a side did not run to its end; kDifferent unless there are pairs and all of them
// agree.
Verdict VerdictOf(const SideSummary& left, const SideSummary& right,
                  const OutputComparison& outputs);

// True if outputs differ, and all causes are known approximations; and the tolerance for outputs in
// that case.
bool DifferByKnownForms(const OutputComparison& outputs, absl::Span<const Cause> causes);
Tolerance ToleranceOfKnownForms();
// Tolerance for outputs if 8-bit scales were calibrated for other inputs than the made-up ones:
// single elements are clipped.
Tolerance ToleranceOfOtherCalibration();

// Judges outputs again: a wide tolerance for coarse types excuses only rounding to them, so the
// effect of mistakes on an output that agrees by it counts. `effects` are those of the search for
// causes, before scales and zero points were examined. `reviewed`: the causes have been reviewed
// since, so that correct quantization is known.
OutputComparison RejudgeOutputs(OutputComparison outputs, absl::Span<const OutputEffect> effects,
                                absl::Span<const Cause> causes, bool reviewed);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_VERDICT_H_
