// What types of 16 bits do to numbers that they cannot hold.
#ifndef ONNXCMP_COMPARE_FORCED_COARSE_NUMBERS_H_
#define ONNXCMP_COMPARE_FORCED_COARSE_NUMBERS_H_

#include "absl/types/span.h"
#include "compare/differences/nearness.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The last place of what is beyond the right's type of 16 bits is no rounding of the right. Where
// the right has a number for it that masks as well, it may be any.
void DropNoiseOfClamped(const Tensor& left, const Tensor& right, absl::Span<double> noise);

// Whether numbers are at most two of the least steps of float16 apart: 1e-12 is 0 there, and
// converters write the least or the second number that is more, so that nothing divides by 0.
bool AreLeastStepsApart(const Measured& a, const Measured& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FORCED_COARSE_NUMBERS_H_
