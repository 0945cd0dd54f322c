// Judges the results of a recording: each of them counts as an output does.
#ifndef ONNXCMP_COMPARE_OUTPUTS_RECORDED_RESULTS_H_
#define ONNXCMP_COMPARE_OUTPUTS_RECORDED_RESULTS_H_

#include "absl/types/span.h"
#include "compare/outputs/compared_row.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/pair_values.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// The outputs, and a pair for every recorded result with a partner, and those that were found
// nowhere: floating results of more than a handful of elements that are no copy of a known one.
// Element i corresponds to element i: the same elements in another order do not agree, nor does one
// entry of a batch.
OutputComparison JudgeRecorded(const ComparedSides& sides, const PairTolerances& tolerances,
                               OutputComparison outputs);

// Beside a quantized model, if its outputs agree: without the recorded results on the way that are
// farther apart than quantization brings a result by itself, but no farther than its noise adds up
// to, in all directions; a note names them. No cause may be left. `suspected`: pairs that differ on
// the recorded inputs; of these only small parts may be too far apart.
OutputComparison WithoutHonestNoise(const PerSide<const ResultStream*>& streams,
                                    absl::Span<const ResultPair> suspected,
                                    OutputComparison outputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_RECORDED_RESULTS_H_
