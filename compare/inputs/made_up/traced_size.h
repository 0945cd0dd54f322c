// Where the size of a value along an axis comes from.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_TRACED_SIZE_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_TRACED_SIZE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "compare/inputs/made_up/graph_scope.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// A fixed size, or an input's dimension.
struct TracedSize {
  std::optional<int64_t> fixed;
  std::optional<InputDim> dim;
};

// As far as it can be followed back through products, lookups and what leaves an axis in its place.
// A negative axis counts from the end. Nothing if it is lost on the way.
std::optional<TracedSize> SizeAlong(const GraphScope& scope, absl::string_view name, int64_t axis);

// A constant that is handed on, perhaps in another type; null if there is none.
const Tensor* TableIn(const GraphScope& scope, absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_TRACED_SIZE_H_
