// Tells if a tensor holds another's elements at other positions, and how they were moved.
#ifndef ONNXCMP_RECORD_DIFFERENCES_MOVED_ELEMENTS_H_
#define ONNXCMP_RECORD_DIFFERENCES_MOVED_ELEMENTS_H_

#include <string>
#include <vector>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct ShapedElements {
  Shape shape;
  const std::vector<double>& elements;  // row-major
};

// "right = left with axes 1 and 2 exchanged", "indices 3 and 5 of axis 0 are exchanged", "right =
// left shifted by 1 along axis 2", "the same elements in another order"; empty if none of these
// holds. Elements at most `least` apart count as equal. Both have equally many elements.
std::string MovedText(const ShapedElements& left, const ShapedElements& right, double least);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_MOVED_ELEMENTS_H_
