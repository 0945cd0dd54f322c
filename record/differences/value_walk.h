// Compares two values element by element, for DifferenceOf and TensorDifferenceOf.
#ifndef ONNXCMP_RECORD_DIFFERENCES_VALUE_WALK_H_
#define ONNXCMP_RECORD_DIFFERENCES_VALUE_WALK_H_

#include "absl/functional/function_ref.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {

struct WalkRules {
  // If true, tensors of other shapes or element types disagree, whatever they hold. If false, only
  // those with another number of elements do, or strings against numbers.
  bool same_types;
  // For a pair of numeric tensors of these element types. Bools and strings always have to be
  // equal.
  absl::FunctionRef<Tolerance(DType left, DType right)> tolerance;
  int worst;
  bool parts;  // as DifferenceOptions
  // An exception to `same_types`: double, float, float16 and bfloat16 are compared by value, and a
  // sequence of maps with a matrix whose rows they name.
  bool floats_by_value = false;
};

// The pool may be null.
TensorDifference WalkValues(const Value& left, const Value& right, const WalkRules& rules,
                            const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_VALUE_WALK_H_
