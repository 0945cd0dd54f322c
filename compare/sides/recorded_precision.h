// Precision of recorded floats, by their values: hooks and devices save coarse numbers as float32.
#ifndef ONNXCMP_COMPARE_SIDES_RECORDED_PRECISION_H_
#define ONNXCMP_COMPARE_SIDES_RECORDED_PRECISION_H_

#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct RecordedRounding {
  DType type = DType::kUndefined;  // the coarser type that holds all floats exactly
  bool has_steps = false;          // they are multiples of a step, as of 8-bit integers
};

RecordedRounding RoundingOf(const Value& value);

// Gives results that are exact in a coarser type its precision, if most results are or have that
// type: in rich values that is no accident. If some have the steps of 8-bit integers, all passed
// through such (StreamResult::precision): an NPU shows the floats that its integers stand for.
// `rounded`: by result.
void TakePrecision(absl::Span<const RecordedRounding> rounded, ResultStream* stream);

// Numbers of a recording that passed through 8-bit integers have that precision beside a side that
// is not quantized. Beside another one that is, they can be as exact as any.
void TakeQuantizedPrecision(const PerSide<ResultStream*>& streams);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RECORDED_PRECISION_H_
