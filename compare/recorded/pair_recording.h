// Stage 19, recordings: a table of rules proposes pairs of a recording's results, Settle() decides.
#ifndef ONNXCMP_COMPARE_RECORDED_PAIR_RECORDING_H_
#define ONNXCMP_COMPARE_RECORDED_PAIR_RECORDING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// For sides of which at least one is recorded. `aligned`: by values and structure. `claims`: the
// user's. Rows are in the order of the model, if the recording's file has none.
absl::StatusOr<Alignment> PairRecording(const PerSide<RecordedSide>& sides,
                                        const Alignment& aligned, std::vector<Claim> claims,
                                        PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_PAIR_RECORDING_H_
