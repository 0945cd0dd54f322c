// The precision of element types, which decides how far apart two results may be.
#ifndef ONNXCMP_RECORD_DIFFERENCES_PRECISION_H_
#define ONNXCMP_RECORD_DIFFERENCES_PRECISION_H_

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The floating type of equal precision for a floating or complex type (complex64: float);
// kUndefined for all others, which are exact.
DType PrecisionOf(DType dtype);
// The precision of a value's least precise tensor.
DType PrecisionOf(const Value& value);

// The less precise of two types, by the bits that a number keeps. Integers stand for numbers
// quantized to them. kUndefined is exact.
DType LessPrecise(DType left, DType right);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_PRECISION_H_
