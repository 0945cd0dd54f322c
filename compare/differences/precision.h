// How precise element types are: what decides how far apart two results may be.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_PRECISION_H_
#define ONNXCMP_COMPARE_DIFFERENCES_PRECISION_H_

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The type that a floating or complex type is as precise as (complex64: float); kUndefined for all
// others, which are exact.
DType PrecisionOf(DType dtype);
// That of the least precise tensor of a value.
DType PrecisionOf(const Value& value);

// The less precise of two types, by the bits that are left of a number. Integers stand for numbers
// quantized to them. kUndefined is exact.
DType LessPrecise(DType left, DType right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_PRECISION_H_
