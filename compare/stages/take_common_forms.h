// Converts both sides' integers and layouts to the canonical form that they share.
#ifndef ONNXCMP_COMPARE_STAGES_TAKE_COMMON_FORMS_H_
#define ONNXCMP_COMPARE_STAGES_TAKE_COMMON_FORMS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/sides/side.h"
#include "compare/stages/record_sides.h"
#include "compare/stages/step_tools.h"
#include "feed/longer_inputs.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// The same records; a result with a form (StreamResult::form) has the fingerprint of that form.
// `longer`: inputs that one side was given with more positions than the other; outputs are cut to
// those that both have.
absl::StatusOr<SideRecords> TakeCommonForms(const PerSide<Side*>& sides, SideRecords records,
                                            const std::vector<LongerInput>& longer,
                                            const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_TAKE_COMMON_FORMS_H_
