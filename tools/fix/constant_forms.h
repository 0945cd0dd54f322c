// A constant of the left in the form that the right has it in.
#ifndef ONNXCMP_TOOLS_FIX_CONSTANT_FORMS_H_
#define ONNXCMP_TOOLS_FIX_CONSTANT_FORMS_H_

#include <string>
#include <vector>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// True if they have the same type, shape and bits.
bool AreSame(const Tensor& a, const Tensor& b);

// The left's tensor in the element type and the shape of the right's: as it is, with two axes
// exchanged, with the axes of one element that the right has. The likeliest first; none if no form
// fits, or if the types are no floats and differ.
std::vector<Tensor> FormsOf(const Tensor& left, const Tensor& right);

// How a constant changes, in a few words: "[3,5] 0.7 -> 0.5", "12 of 400 elements, [0,1] 2 -> 1".
std::string ChangeText(const Tensor& from, const Tensor& to);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_CONSTANT_FORMS_H_
