// Finds where a side's numbers stop being finite.
#ifndef ONNXCMP_COMPARE_NOT_FINITE_FIND_NOT_FINITE_H_
#define ONNXCMP_COMPARE_NOT_FINITE_FIND_NOT_FINITE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/not_finite/not_finite.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

// Takes a recorded side, which runs once more if there is any origin. `run`: its name for the
// watch. Errors are those of running it again.
absl::StatusOr<NotFinite> FindNotFinite(const RecordedSide& side, absl::string_view run,
                                        const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_NOT_FINITE_FIND_NOT_FINITE_H_
