// The size of a tensor's elements.
#ifndef ONNXCMP_RECORD_DIFFERENCES_VALUE_SCALE_H_
#define ONNXCMP_RECORD_DIFFERENCES_VALUE_SCALE_H_

#include <optional>

#include "evaluator/tensor/tensor.h"
#include "record/differences/infinity.h"

namespace onnxcmp {

// The smaller of the root mean square and four times the median of the magnitudes, over finite
// elements that are not 0 and below 1e30: one huge element does not make the others small. For
// large tensors a sample is used, at the same positions for all tensors of a size. 0 if there are
// none. Numbers only; complex ones count as their parts.
double ScaleOf(const Tensor& tensor);

// The size of the elements that vary in a tensor, and the magnitude from which on elements are
// fills.
struct ValueScale {
  ValueScale(double of_elements, double greatest = kInfinity)  // NOLINT: a scale is a number
      : scale(of_elements), limit(greatest) {}

  double scale;
  double limit;
};

// The smaller of both tensors' scales. Fills (-1e4 and -1e9 of masks, -9999 of missing data) do not
// count: at least a sixteenth of the elements, of magnitudes of 16 and more, at least 8 times as
// large as all others, and nearly equal to each other, or as far apart as the others are. Then
// `limit` lies between them and the others. Fills are recognized in floats, and on both sides.
ValueScale ScaleOfVarying(const Tensor& left, const Tensor& right);

// The scale of a smaller quantity beside a larger one in floats, as of probabilities beside points
// of time, with `limit` between the two; nothing if there is only one. The larger one's elements,
// of 16 and more, are so much larger that no rounding of theirs is as small as the others. Of two
// tensors: on both.
std::optional<ValueScale> ScaleOfSmaller(const Tensor& tensor);
std::optional<ValueScale> ScaleOfSmaller(const Tensor& left, const Tensor& right);

// Scale for differences of quantized integers: their deviation from the mean, since the zero point
// may be anywhere. Sampled likewise.
double DeviationOf(const Tensor& tensor);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_VALUE_SCALE_H_
