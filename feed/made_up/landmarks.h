// Numbers at which a node changes its behaviour.
#ifndef ONNXCMP_FEED_MADE_UP_LANDMARKS_H_
#define ONNXCMP_FEED_MADE_UP_LANDMARKS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/input_purpose.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// Adds those of the input in `slot`: the limits of Clip, Min and Max, operands of comparisons, the
// limits of the type that it is cast to; NaN where the node tests for it.
void AddLandmarks(const GraphScope& scope, const Node& node, size_t slot,
                  std::vector<double>* numbers);

// True if a bit other than the last one is looked for, which tells nothing of the others.
bool LooksForBit(const Node& node, const Tensor* constant);

// True if a comparison of a mask's numbers with a constant tells 1 from 0; `slot` is the mask's.
bool TellsOneFromZero(const Node& node, size_t slot, const Tensor& constant);

// True for a comparison of two different values that are no constants.
bool ComparesComputed(const GraphScope& scope, const Node& node);

// The range in which a QuantizeLinear with one scale distinguishes numbers; nothing if its scale is
// not known.
std::optional<NumberRange> QuantizedRange(const GraphScope& scope, const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_LANDMARKS_H_
