// How large the elements of a tensor are.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_VALUE_SCALE_H_
#define ONNXCMP_COMPARE_DIFFERENCES_VALUE_SCALE_H_

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The smaller of the root mean square and four times the median of the magnitudes, of the finite
// elements that are not 0 and below 1e30: one huge element does not make the others small. Of large
// tensors a sample tells, the same one for all tensors of a size. 0 if there are none. Numbers
// only; complex ones count as their parts.
double ScaleOf(const Tensor& tensor);

// What the differences of quantized integers are to be seen against: their deviation from the mean,
// since the zero point is anywhere. Sampled likewise.
double DeviationOf(const Tensor& tensor);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_VALUE_SCALE_H_
