// Rules "names", "values", "places": which result of the other side a recorded one is, where one
// has to be chosen among its name's, the near ones and the free ones at its place.
#ifndef ONNXCMP_COMPARE_RECORDED_NAMES_AND_VALUES_H_
#define ONNXCMP_COMPARE_RECORDED_NAMES_AND_VALUES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/claim.h"
#include "compare/recorded/pairing_runs.h"
#include "compare/recorded/recording_view.h"

namespace onnxcmp {

// Names are trusted if most recorded results share theirs with the other side, mostly with its
// values: then a result corresponds to its namesake whatever its value is. Other recorded results
// without a partner by value take, if it is free, their namesake; else a result of the same size
// whose name has all parts of theirs in order ("layer.1.dense" and "/layer.1/dense/Add_output_0"),
// of several the last of those with the fewest other parts; else the only one of their shape
// between the partners of their neighbours.
absl::StatusOr<std::vector<Claim>> ClaimByNamesAndValues(const RecordingView& view,
                                                         PairingRuns& runs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_NAMES_AND_VALUES_H_
