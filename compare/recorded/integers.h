// Rule "integers": recorded integers that stand for floats of the model.
#ifndef ONNXCMP_COMPARE_RECORDED_INTEGERS_H_
#define ONNXCMP_COMPARE_RECORDED_INTEGERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"

namespace onnxcmp {

// Recorded integers, and sums of integers as floats, that represent floats of the model; recorded
// floats that are near one of the model's inputs. Claims on kNone are integers that fit no result
// although their name refers to one, or although most others fit. Scales are unknown, so integers
// that are too great by a factor are not noticed.
absl::StatusOr<std::vector<Claim>> ClaimIntegers(const RecordingView& view, PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_INTEGERS_H_
