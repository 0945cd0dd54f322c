// Rule "kept as integers": recorded floats that the model has as integers alone.
#ifndef ONNXCMP_COMPARE_RECORDED_KEPT_AS_INTEGERS_H_
#define ONNXCMP_COMPARE_RECORDED_KEPT_AS_INTEGERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"

namespace onnxcmp {

// Recorded floats without a partner that are near the dequantized integers of the model, or near
// such a layer's values before its activation: QLinearConv gives no floats.
absl::StatusOr<std::vector<Claim>> ClaimKeptAsIntegers(const RecordingView& view,
                                                       PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_KEPT_AS_INTEGERS_H_
