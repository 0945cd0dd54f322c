// Tells if a converted node gives its counterpart's result, up to rounding.
#ifndef ONNXCMP_COMPARE_CONVERSION_NEAR_RESULTS_H_
#define ONNXCMP_COMPARE_CONVERSION_NEAR_RESULTS_H_

#include "compare/quantization/dequantized_view.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// True if `actual` is as near to `wanted` as an error relative to its size and an absolute one
// explain: on the whole, and in each slice along each axis. Fills of masks, large negative
// numbers, may be any such.
bool AreNear(const Tensor& wanted, const DequantizedView& actual, double relative, double absolute);

// True if each number is the nearest step to that of `wanted` in the range of its type, or one of
// two that are equally near: 1 + tanh(x) may lie between two steps everywhere.
bool IsNearestStep(const Tensor& wanted, const DequantizedView& actual);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_NEAR_RESULTS_H_
