// Numbers at which a node changes its behaviour.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_LANDMARKS_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_LANDMARKS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/inputs/made_up/graph_scope.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Adds those of the input in `slot`: the limits of Clip, Min and Max, operands of comparisons, the
// limits of the type that it is cast to; NaN where the node tests for it.
void AddLandmarks(const GraphScope& scope, const Node& node, size_t slot,
                  std::vector<double>* numbers);

// The range in which a QuantizeLinear with one scale distinguishes numbers; nothing if its scale is
// not known.
std::optional<NumberRange> QuantizedRange(const GraphScope& scope, const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_LANDMARKS_H_
