// Numbers as text and back, for casts to and from strings.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTS_NUMBER_TEXT_H_
#define ONNXCMP_OPS_COMMON_ELEMENTS_NUMBER_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// A floating-point number of type `dtype`, with the fewest digits that are no other number of that
// type, laid out as Python and NumPy's float64 do: "1.0", "0.0001", "1e-05", "1e+16", "nan",
// "-inf".
std::string FormatFloat(DType dtype, double value);

// The elements of a contiguous tensor as NumPy writes them (bool: "True", "False"), into as many
// strings.
void FormatElements(const Tensor& numbers, std::string* out);

// Strings to elements of `out`'s dtype: decimal numbers, with or without exponent; inf, infinity
// and nan in any case, with or without sign; True and False in any case. Numbers with a fraction
// are truncated for integers. InvalidArgument for anything else.
absl::Status ParseElements(const std::string* strings, Overflow overflow, Tensor* out);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTS_NUMBER_TEXT_H_
