// Converts both sides' integers and layouts to the canonical form that they share.
#ifndef ONNXCMP_COMPARE_STAGES_TAKE_COMMON_FORMS_H_
#define ONNXCMP_COMPARE_STAGES_TAKE_COMMON_FORMS_H_

#include "absl/status/statusor.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/side.h"
#include "compare/stages/record_sides.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// The same records; a result with a form (StreamResult::form) has the fingerprint of that form.
absl::StatusOr<SideRecords> TakeCommonForms(const PerSide<Side*>& sides, SideRecords records,
                                            const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_TAKE_COMMON_FORMS_H_
