// One element of a tensor as text.
#ifndef ONNXCMP_RECORD_DIFFERENCES_ELEMENT_TEXT_H_
#define ONNXCMP_RECORD_DIFFERENCES_ELEMENT_TEXT_H_

#include <cstdint>
#include <string>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The element at a row-major index: numbers with as many digits as distinguish them from their
// neighbours ("0.41823602", "nan", "-inf", "1+2j"), "true", strings in quotes with special
// characters escaped and the middle of a long one left out.
std::string ElementText(const Tensor& tensor, int64_t index);

// Its position: "[0,12,3]".
std::string IndexText(const Shape& shape, int64_t index);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_ELEMENT_TEXT_H_
