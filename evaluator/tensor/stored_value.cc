#include "evaluator/tensor/stored_value.h"

#include <utility>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

bool IsStored(const Value& value) { return value.is_tensor() && value.tensor().stored(); }

absl::StatusOr<Value> InMemory(const Value& value, const ThreadPool* pool) {
  if (!IsStored(value)) return value;
  OC_ASSIGN_OR_RETURN(Tensor tensor, value.tensor().InMemory(pool));
  return Value(std::move(tensor));
}

}  // namespace onnxcmp
