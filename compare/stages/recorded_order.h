// The order of a recording that has none: the names' order in its file tells nothing.
#ifndef ONNXCMP_COMPARE_STAGES_RECORDED_ORDER_H_
#define ONNXCMP_COMPARE_STAGES_RECORDED_ORDER_H_

#include "compare/alignment/alignment.h"
#include "compare/base/per_side.h"
#include "compare/sides/pair_values.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// True if the results of a recording are sorted by name, so that they need not be in the order of
// the run.
bool AreInOrderOfNames(const ResultStream& recording);

// Rows in the order of the model, if a recording beside it is sorted by name. A row of the
// recording alone comes before what explains it, else after its predecessor in the file. Nothing
// has moved.
Alignment InOrderOfModel(const PerSide<RecordedSide>& sides, Alignment alignment);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_RECORDED_ORDER_H_
