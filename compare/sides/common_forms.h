// Canonical forms of results that both sides share: the same numbers in another representation.
//
// - An optimizer may turn int8 with zero point z into uint8 with z + 128, in constants and results
// alike: then each integer q has become q + 128, and the bits differ although nothing does. The
// form of quantized integers of signed types is that of the unsigned ones.
// - It may compute part of a convolutional network with the channels last. The form of such
// results has them after the batch.
#ifndef ONNXCMP_COMPARE_SIDES_COMMON_FORMS_H_
#define ONNXCMP_COMPARE_SIDES_COMMON_FORMS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Takes two sides that have been recorded. Gives results a form (StreamResult::form) where only one
// side has signed quantized integers, or channels last, with the fingerprints of these forms.
// Statistics and letters stay those of the result itself. Inputs of the graph stay unchanged. Runs
// a side again for values that were not kept. `streams` are those of the two sides.
absl::Status FindCommonForms(const PerSide<RecordedSide>& sides, const PairValues::Watch& watch,
                             const PerSide<ResultStream*>& streams);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_COMMON_FORMS_H_
