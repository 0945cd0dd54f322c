// Pairs the results of both sides: by their values, by pairs from the user, for recordings also by
// names and places.
#ifndef ONNXCMP_COMPARE_STAGES_ALIGN_SIDES_H_
#define ONNXCMP_COMPARE_STAGES_ALIGN_SIDES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/step_tools.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// `given`: pairs from the user, "LEFT=RIGHT". InvalidArgument or NotFound if a name in them belongs
// to no result.
absl::StatusOr<Alignment> AlignSides(const PerSide<RecordedSide>& sides,
                                     absl::Span<const std::string> given, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_ALIGN_SIDES_H_
