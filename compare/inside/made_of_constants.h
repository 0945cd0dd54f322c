// Values that depend on no input, such as ranges, masks, windows and tables, of which an exporter
// keeps the last alone.
#ifndef ONNXCMP_COMPARE_INSIDE_MADE_OF_CONSTANTS_H_
#define ONNXCMP_COMPARE_INSIDE_MADE_OF_CONSTANTS_H_

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// True if elements follow from their places alone: one number, ranges along each axis, waves and
// powers, the same number along each diagonal, or a symmetrical window.
bool FollowsFromPlaces(const Tensor& tensor);

// True if a constant is `tensor` scaled and shifted or a function of its elements, has two other
// numbers in the same places, or has its elements as a part.
bool LeadsToConstant(const Tensor& tensor, const Tensor& constant);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_MADE_OF_CONSTANTS_H_
