#include "compare/stages/take_common_forms.h"

#include <utility>
#include <vector>

#include "compare/common_forms/common_forms.h"
#include "compare/common_forms/recorded_layouts.h"
#include "compare/sides/recorded_precision.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {

absl::StatusOr<SideRecords> TakeCommonForms(const PerSide<Side*>& sides, SideRecords records,
                                            const PairValues::Watch& watch) {
  PerSide<SideRecord>& both = records.sides;
  const PerSide<ResultStream*> streams = {&both.left.stream, &both.right.stream};
  TakeQuantizedPrecision(streams);
  OC_RETURN_IF_ERROR(FindCommonForms(ViewsOf(sides, both), watch, streams));
  OC_ASSIGN_OR_RETURN(const PerSide<std::vector<LaidOut>> laid_out,
                      FindRecordedLayouts(ViewsOf(sides, both), watch, streams));
  for (const SideId side : kBothSides) {
    for (const LaidOut& result : laid_out[side]) {
      both[side].bank.Drop(result.result);
      both[side].for_search.Drop(result.result);
      for (auto& [number, value] : both[side].outputs) {
        if (number == result.result) value = result.value;
      }
    }
  }
  return records;
}

}  // namespace onnxcmp
