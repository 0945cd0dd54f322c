// The result of another program's kernel beside ours: is it rounding?
#ifndef ONNXCMP_COMPARE_CAUSES_KERNEL_ROUNDING_H_
#define ONNXCMP_COMPARE_CAUSES_KERNEL_ROUNDING_H_

#include "evaluator/tensor/value.h"

namespace onnxcmp {

// True if one factor explains how far `own` is from `held`, and is farther from 1 than coarse types
// and approximations of functions make it. Rounding goes up and down.
bool IsScaled(const Value& held, const Value& own);

// True if both are integers of at most 8 bits and a few of them are the next ones: so kernels
// differ that compute in float and round to an integer where a number lies between two.
bool AreNextIntegers(const Value& held, const Value& own);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_KERNEL_ROUNDING_H_
