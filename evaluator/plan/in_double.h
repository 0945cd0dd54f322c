// Changes that a run in double makes: to values that a node reads, to attributes that name a type,
// to types that a schema allows.
#ifndef ONNXCMP_EVALUATOR_PLAN_IN_DOUBLE_H_
#define ONNXCMP_EVALUATOR_PLAN_IN_DOUBLE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The value with float, float16 and bfloat16 as double, in sequences and the like too; anything
// else is as it was. Floats of 8 and fewer bits are quantized numbers, which stay. An error if a
// tensor would take more than `max_tensor` bytes. The pool may be null.
absl::StatusOr<Value> InDouble(const Value& value, int64_t max_tensor, const ThreadPool* pool);

// The node with double where an attribute names the type that it computes in or casts to. Types of
// random numbers and constants stay: what they give becomes double afterwards.
Node InDouble(const Node& node);
// The same of a schema's defaults.
std::map<std::string, Attribute, std::less<>> InDouble(
    const std::map<std::string, Attribute, std::less<>>& defaults);

// Lets inputs be double that may be of any floating type.
void AllowDouble(Signature* signature);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_PLAN_IN_DOUBLE_H_
