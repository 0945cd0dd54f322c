// Pairs the results of both sides: by their values, by what the user says, of recordings also by
// names and places.
#ifndef ONNXCMP_COMPARE_STEPS_ALIGN_SIDES_H_
#define ONNXCMP_COMPARE_STEPS_ALIGN_SIDES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/pair/per_side.h"
#include "compare/sides/pair_values.h"
#include "compare/steps/step_tools.h"

namespace onnxcmp {

// `given`: pairs that the user says, "LEFT=RIGHT". InvalidArgument or NotFound for a name in them
// that is no result's.
absl::StatusOr<Alignment> AlignSides(const PerSide<RecordedSide>& sides,
                                     absl::Span<const std::string> given, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STEPS_ALIGN_SIDES_H_
