#include "compare/steps/take_common_forms.h"

#include "compare/forms/common_forms.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {

absl::StatusOr<PerSide<SideRecord>> TakeCommonForms(const PerSide<Side*>& sides,
                                                    PerSide<SideRecord> records,
                                                    const PairValues::Watch& watch) {
  const PerSide<RecordedSide> recorded = ViewsOf(sides, records);
  OC_RETURN_IF_ERROR(
      FindCommonForms(recorded, watch, {&records.left.stream, &records.right.stream}));
  return records;
}

}  // namespace onnxcmp
