#include "compare/stages/take_common_forms.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "compare/recorded/layouts.h"
#include "compare/sides/common_forms.h"
#include "compare/sides/counted_parts.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/recorded_precision.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/common_form.h"

namespace onnxcmp {

absl::StatusOr<SideRecords> TakeCommonForms(const PerSide<Side*>& sides, SideRecords records,
                                            const std::vector<LongerInput>& longer,
                                            const StepTools& tools) {
  PerSide<SideRecord>& both = records.sides;
  const PerSide<ResultStream*> streams = {&both.left.stream, &both.right.stream};
  TakeQuantizedPrecision(streams);
  OC_RETURN_IF_ERROR(FindCommonForms(ViewsOf(sides, &both), tools.watch, streams));
  const int64_t bytes = ComputedBytes(both.left.stream) + ComputedBytes(both.right.stream);
  OC_RETURN_IF_ERROR(FindCountedParts(ViewsOf(sides, &both), longer, bytes <= tools.search_memory,
                                      tools.watch, streams));
  OC_ASSIGN_OR_RETURN(const PerSide<std::vector<LaidOut>> laid_out,
                      FindRecordedLayouts(ViewsOf(sides, &both), tools.watch, streams));
  for (const SideId side : kBothSides) {
    for (auto& [number, value] : both[side].outputs) {
      const CommonForm& form = both[side].stream.results[Index(number)].form;
      if (form.part == nullptr) continue;
      OC_ASSIGN_OR_RETURN(value, InForm(value, form));
    }
    for (const LaidOut& result : laid_out[side]) {
      both[side].store.Drop(result.result);
      for (auto& [number, value] : both[side].outputs) {
        if (number == result.result) value = result.value;
      }
    }
  }
  return records;
}

}  // namespace onnxcmp
