// The values of the results of made-up streams.
#ifndef ONNXCMP_TESTS_SUPPORT_QUANTITIES_H_
#define ONNXCMP_TESTS_SUPPORT_QUANTITIES_H_

#include <cstdint>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp::testing {

// A quantity of its own for every number.
Tensor Quantity(uint64_t number, const Shape& shape = {4, 8});

// The same with rounding errors. Of float.
Tensor Nearly(const Tensor& tensor, float relative);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_QUANTITIES_H_
