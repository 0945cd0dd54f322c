// Numbers on both sides of which a node does something else.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_LANDMARKS_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_LANDMARKS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/inputs/made_up/graph_scope.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Of the input in `slot`: the limits of Clip, Min and Max, what it is compared with, the limits of
// the type that it is cast to; NaN where that is asked for.
void AddLandmarks(const GraphScope& scope, const Node& node, size_t slot,
                  std::vector<double>* numbers);

// What a QuantizeLinear with one scale can tell from others; nothing if its scale is not known.
std::optional<NumberRange> QuantizedRange(const GraphScope& scope, const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_LANDMARKS_H_
