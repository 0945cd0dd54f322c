// Slices of constants, which a model may compute from its inputs' sizes or hold as such.
#ifndef ONNXCMP_COMPARE_INSIDE_PART_OF_CONSTANT_H_
#define ONNXCMP_COMPARE_INSIDE_PART_OF_CONSTANT_H_

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// True if a tensor has the bits of a slice of a constant along one axis, of which there is more
// than that slice. Axes of one element count for nothing.
bool IsPartOfConstant(const Tensor& part, const Tensor& constant);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_PART_OF_CONSTANT_H_
