// Tells if integers represent floats: integer = float / scale + zero point, up to rounding and the
// quantization of earlier results.
#ifndef ONNXCMP_COMPARE_RECORDED_INTEGER_FIT_H_
#define ONNXCMP_COMPARE_RECORDED_INTEGER_FIT_H_

#include <optional>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The rest of the integers beside the best scale and zero point, as a share of their deviation;
// nothing if it is more than quantization explains. `sums`: the integers are sums of products,
// which have a scale or a zero point for each channel (the second or the last axis) and are not cut
// off. Otherwise they end at the bounds of a type, beyond which floats may go on. The two have as
// many elements in the same order.
std::optional<double> RestOfIntegers(const Tensor& integers, const Tensor& floats, bool sums);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_INTEGER_FIT_H_
