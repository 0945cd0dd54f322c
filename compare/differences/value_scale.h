// How large the elements of a tensor are.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_VALUE_SCALE_H_
#define ONNXCMP_COMPARE_DIFFERENCES_VALUE_SCALE_H_

#include "compare/differences/infinity.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The smaller of the root mean square and four times the median of the magnitudes, of the finite
// elements that are not 0 and below 1e30: one huge element does not make the others small. Of large
// tensors a sample tells, the same one for all tensors of a size. 0 if there are none. Numbers
// only; complex ones count as their parts.
double ScaleOf(const Tensor& tensor);

// The size of what varies in a tensor, and the magnitude beyond which elements are no part of it.
struct ValueScale {
  ValueScale(double of_elements, double greatest = kInfinity)  // NOLINT: a scale is a number
      : scale(of_elements), limit(greatest) {}

  double scale;
  double limit;
};

// The smaller of both tensors' scales. Fills (-1e4 and -1e9 of masks, -9999 of missing data) do not
// count: a sixteenth of the elements or more, of magnitudes of 16 and more, at least 8 times as
// large as all others and nearly equal among each other, or as far apart as the others are. `limit`
// is then between them and the others. Of floats, as many on both sides.
ValueScale ScaleOfVarying(const Tensor& left, const Tensor& right);

// What the differences of quantized integers are to be seen against: their deviation from the mean,
// since the zero point is anywhere. Sampled likewise.
double DeviationOf(const Tensor& tensor);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_VALUE_SCALE_H_
