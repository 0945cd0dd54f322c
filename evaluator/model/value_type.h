// Types of values: what a value is, what a schema allows, and whether the two agree.
#ifndef ONNXCMP_EVALUATOR_MODEL_VALUE_TYPE_H_
#define ONNXCMP_EVALUATOR_MODEL_VALUE_TYPE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The type of a value, without shapes. Kind and dtype are unknown where the value does not say:
// what an empty optional would hold, what a sequence without elements is of. Values that are not
// whole are InvalidArgument: elements of several types, a map with more keys than values, or with
// keys that are not of rank 1.
absl::StatusOr<TypeInfo> TypeOf(const Value& value);

// The same with the shape of a tensor.
absl::StatusOr<TypeInfo> TypeAndShapeOf(const Value& value);

// "seq(tensor(float))", as schemas write types; nothing for a type that we do not know.
std::optional<TypeInfo> ParseType(absl::string_view text);

// True if a value can be of both types: kinds and dtypes are equal or not known. Shapes do not
// count.
bool Agree(const TypeInfo& a, const TypeInfo& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_MODEL_VALUE_TYPE_H_
