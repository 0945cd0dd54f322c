// Values that may lie in a file (see Buffer).
#ifndef ONNXCMP_EVALUATOR_TENSOR_STORED_VALUE_H_
#define ONNXCMP_EVALUATOR_TENSOR_STORED_VALUE_H_

#include "absl/status/statusor.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// True for a tensor that is stored().
bool IsStored(const Value& value);

// The value, its tensor by Tensor::InMemory.
absl::StatusOr<Value> InMemory(const Value& value, const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_STORED_VALUE_H_
