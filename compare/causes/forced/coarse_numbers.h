// Numbers that 16-bit types cannot represent.
#ifndef ONNXCMP_COMPARE_CAUSES_FORCED_COARSE_NUMBERS_H_
#define ONNXCMP_COMPARE_CAUSES_FORCED_COARSE_NUMBERS_H_

#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {

// Removes noise of left values beyond the right's 16-bit type: their last place is no rounding of
// the right. Where the right's number masks as well, it may be any.
void DropNoiseOfClamped(const Tensor& left, const Tensor& right, absl::Span<double> noise);

// True if numbers differ by at most two of the least steps of float16: 1e-12 becomes 0 there, and
// converters write the first or the second greater number to avoid a division by 0.
bool AreLeastStepsApart(const Measured& a, const Measured& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FORCED_COARSE_NUMBERS_H_
