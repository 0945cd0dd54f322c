// A result that is another by a factor, which rounding is not.
#ifndef ONNXCMP_COMPARE_CAUSES_SCALED_RESULT_H_
#define ONNXCMP_COMPARE_CAUSES_SCALED_RESULT_H_

#include "evaluator/tensor/value.h"

namespace onnxcmp {

// True if one factor explains how far `own` is from `held`, and is farther from 1 than coarse types
// and approximations of functions make it. Rounding goes up and down.
bool IsScaled(const Value& held, const Value& own);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_SCALED_RESULT_H_
