// Rule "slices": recorded results that are a part of the model's along one axis, as a device has
// that holds some of the heads or columns.
#ifndef ONNXCMP_COMPARE_RECORDED_SLICES_H_
#define ONNXCMP_COMPARE_RECORDED_SLICES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"

namespace onnxcmp {

// Recorded floats without a partner that agree with the i-th of n equal parts of a result along one
// axis.
absl::StatusOr<std::vector<Claim>> ClaimSlices(const RecordingView& view, PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_SLICES_H_
