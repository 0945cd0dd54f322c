// Rules "frame" and "steps in frame": pairs that a run of the model on the recorded values finds.
// After a fault every later value is wrong; on what was recorded, it is right again.
#ifndef ONNXCMP_COMPARE_RECORDED_FRAME_H_
#define ONNXCMP_COMPARE_RECORDED_FRAME_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"

namespace onnxcmp {

// If a recorded result has no partner, or only one by a similar name or by its place that it is not
// near, the model runs with the recorded values in place of the results that have partners.
// Recorded results near its new results are paired with them. If there are none, results that
// resemble one of the model's (LikenessOf) are tried in the model's order; the pair after which
// most others are near is kept.
absl::StatusOr<std::vector<Claim>> ClaimInFrame(const RecordingView& view, PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_FRAME_H_
