#include "compare/steps/take_common_forms.h"

#include "compare/forms/common_forms.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {

absl::StatusOr<SideRecords> TakeCommonForms(const PerSide<Side*>& sides, SideRecords records,
                                            const PairValues::Watch& watch) {
  PerSide<SideRecord>& both = records.sides;
  OC_RETURN_IF_ERROR(
      FindCommonForms(ViewsOf(sides, both), watch, {&both.left.stream, &both.right.stream}));
  return records;
}

}  // namespace onnxcmp
