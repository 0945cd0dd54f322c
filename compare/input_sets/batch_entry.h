// A recording of one entry of a batch beside a model that was fed the whole batch.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_BATCH_ENTRY_H_
#define ONNXCMP_COMPARE_INPUT_SETS_BATCH_ENTRY_H_

#include <optional>

#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/side.h"
#include "feed/input_sets.h"

namespace onnxcmp {

// If recorded results turned out to be entries of the model's (`whole`: the comparison on `fed`),
// runs the model on each entry of its inputs alone, and returns the comparison in which most
// agrees, with a note that says which entry it is. `fed` and the sides have that entry then.
// Nothing if no entry agrees better than the whole, or if the model does not run on one entry.
absl::StatusOr<std::optional<Comparison>> CompareOnEntry(Side& left, Side& right,
                                                         const CompareOptions& options,
                                                         const Comparison& whole, FedInputs* fed);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_BATCH_ENTRY_H_
