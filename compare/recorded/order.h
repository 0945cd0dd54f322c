// Gives a recording without an order, whose file is sorted by name, the order of the model.
#ifndef ONNXCMP_COMPARE_RECORDED_ORDER_H_
#define ONNXCMP_COMPARE_RECORDED_ORDER_H_

#include "compare/alignment/alignment.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// True if the results of a recording are sorted by name, so that they need not be in the order of
// the run.
bool AreInOrderOfNames(const ResultStream& recording);

// Rows in the order of the model, if a recording beside it is sorted by name. A row of the
// recording alone precedes the row that explains it, if any, and otherwise follows its predecessor
// in the file. None is marked moved.
Alignment InOrderOfModel(const PerSide<RecordedSide>& sides, Alignment alignment);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_ORDER_H_
