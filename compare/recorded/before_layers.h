// Rule "before layers": recorded results that the other side no longer has: inputs of a
// normalization that is folded into a layer there, or of an activation that its operator includes.
#ifndef ONNXCMP_COMPARE_RECORDED_BEFORE_LAYERS_H_
#define ONNXCMP_COMPARE_RECORDED_BEFORE_LAYERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"

namespace onnxcmp {

// Recorded results without a partner, or paired only by different names, that explain how one of
// the model's results is computed; also those near their partner that are the input of an untrained
// normalization. Another recorded result that agrees with the model's must confirm it, or all
// recorded results that depend on the model's must agree; where no value of the model's is right,
// two recorded results that follow each other, of which the latter is the layer's.
absl::StatusOr<std::vector<Claim>> ClaimBeforeLayers(const RecordingView& view, PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_BEFORE_LAYERS_H_
