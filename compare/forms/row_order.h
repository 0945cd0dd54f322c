// Whether two tensors hold the same rows in another order.
#ifndef ONNXCMP_COMPARE_FORMS_ROW_ORDER_H_
#define ONNXCMP_COMPARE_FORMS_ROW_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// By row (entry of the first axis) of `wanted`: the row of `own` that it is, each once. Nothing if
// there is no such order that brings all rows within `limit` of their size, or if it is the order
// that they are in.
std::optional<std::vector<int64_t>> FindRowOrder(const Tensor& own, const Tensor& wanted,
                                                 double limit);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FORMS_ROW_ORDER_H_
