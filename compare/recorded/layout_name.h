// Orders of axes, and the names of layouts.
#ifndef ONNXCMP_COMPARE_RECORDED_LAYOUT_NAME_H_
#define ONNXCMP_COMPARE_RECORDED_LAYOUT_NAME_H_

#include <string>
#include <vector>

#include "compare/sides/recorded_layout.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Channels last to channels first.
std::vector<int> ChannelsFirstAxes(int rank);
// Without the axes of one element.
Shape WithoutOnes(const Shape& shape);
Shape SortedSizes(Shape shape);
Shape PermutedShape(const Shape& shape, const std::vector<int>& axes);

// "NHWC", "axes 1 0", "[32,64]", "rows 10 7 6 14 … "; `turned`: "a transposition, axes 1 0".
std::string LayoutName(const RecordedLayout& layout, const Shape& recorded, bool turned);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_LAYOUT_NAME_H_
