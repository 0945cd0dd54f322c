// Rule "entries": recorded results that are one entry of a batch.
#ifndef ONNXCMP_COMPARE_RECORDED_ENTRIES_H_
#define ONNXCMP_COMPARE_RECORDED_ENTRIES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Recorded results without a partner that agree with a slice along the first axis of another
// unpaired result.
absl::StatusOr<std::vector<Claim>> ClaimEntries(const RecordingView& view, PairingRuns& runs);

// True if the numbers of a recorded tensor are those of a part of another, by their types.
bool AgreesWithPart(const Tensor& own, const Tensor& part);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_ENTRIES_H_
