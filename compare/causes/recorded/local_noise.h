// Tells rounding from a fault in the difference of one recorded result.
#ifndef ONNXCMP_COMPARE_CAUSES_RECORDED_LOCAL_NOISE_H_
#define ONNXCMP_COMPARE_CAUSES_RECORDED_LOCAL_NOISE_H_

#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The root mean square of the finite differences of two tensors of numbers; 0 for others.
double RootMeanSquare(const Value& a, const Value& b);

// True if a factor and an offset of all elements explain most of the difference, which rounding has
// no reason to have.
bool IsScaledOrShifted(const Value& a, const Value& b, double epsilon);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_RECORDED_LOCAL_NOISE_H_
