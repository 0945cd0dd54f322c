#include "compare/steps/take_common_forms.h"

#include "compare/forms/common_forms.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {

absl::StatusOr<SideRecords> TakeCommonForms(const PerSide<Side*>& sides, SideRecords records,
                                            const PairValues::Watch& watch) {
  const PerSide<RecordedSide> recorded = ViewsOf(sides, records.sides);
  OC_RETURN_IF_ERROR(FindCommonForms(recorded.left, recorded.right, watch,
                                     &records.sides.left.stream, &records.sides.right.stream));
  return records;
}

}  // namespace onnxcmp
