// Rule "inside nodes": recorded results that are intermediate values of an operator of the model,
// or parts of a constant.
#ifndef ONNXCMP_COMPARE_RECORDED_INSIDE_NODES_H_
#define ONNXCMP_COMPARE_RECORDED_INSIDE_NODES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"

namespace onnxcmp {

// Recorded results without a partner that has their name or their value, but with the value of a
// step of one of the model's operators; or of a part of one of its constants. What other recorded
// results say of the operator's result must confirm it.
absl::StatusOr<std::vector<Claim>> ClaimInsideNodes(const RecordingView& view, PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_INSIDE_NODES_H_
