// Finds out if two tensors hold the same rows in another order.
#ifndef ONNXCMP_COMPARE_RECORDED_ROW_ORDER_H_
#define ONNXCMP_COMPARE_RECORDED_ROW_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// By row (entry of the first axis) of `wanted`: the equal row of `own`, each once. Nothing if no
// such order brings all rows within `limit` of their size, or if it is the present order.
std::optional<std::vector<int64_t>> FindRowOrder(const Tensor& own, const Tensor& wanted,
                                                 double limit);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_ROW_ORDER_H_
