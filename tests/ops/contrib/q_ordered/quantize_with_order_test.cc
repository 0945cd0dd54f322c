// onnxruntime has the operator for CUDA only. Expected values: NumPy, from the definition.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/q_ordered/ordered_matrices.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QuantizeWithOrderTest, RoundsToEvenAndSaturates) {
  OpTest test("QuantizeWithOrder", 1, "com.microsoft");
  test.Attr("order_input", 1).Attr("order_output", 1);
  test.Input(Floats({0.25f, 0.75f, -0.25f, 100, -100})).Input(Tensor::Scalar(0.5f));
  ExpectTensor(test.Run(), Int8s({5}, {0, 2, 0, 127, -128}));
}

TEST(QuantizeWithOrderTest, Columns) {
  ExpectTensor(QuantizedTo(0, Iota({2, 2, 3})),
               Int8s({2, 2, 3}, {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

// Where single elements go: the formulas of NVIDIA's documentation of cublasLtOrder_t and of
// onnxruntime's tests.
TEST(QuantizeWithOrderTest, Tiles) {
  struct Place {
    int order;
    int64_t rows, columns, row, column, index;
  };
  for (const Place& place :
       {Place{2, 3, 64, 1, 5, 37}, Place{2, 3, 64, 2, 33, 96 + 65}, Place{3, 8, 64, 1, 0, 128},
        Place{3, 8, 64, 3, 5, 128 + 16 + 4 + 1}, Place{3, 16, 64, 10, 34, 3 * 256 + 4 + 2},
        Place{4, 32, 32, 1, 0, 32}, Place{4, 32, 32, 2, 3, 256 + 3}, Place{4, 32, 32, 8, 0, 64},
        Place{4, 64, 64, 63, 63, 4 * 1024 - 1}}) {
    SCOPED_TRACE(place.order);
    std::vector<float> values(static_cast<size_t>(place.rows * place.columns));
    values[static_cast<size_t>(place.row * place.columns + place.column)] = 7;
    std::vector<int8_t> want(values.size());
    want[static_cast<size_t>(place.index)] = 7;
    const Shape shape = {place.rows, place.columns};
    ExpectTensor(QuantizedTo(place.order, Tensor::Of<float>(shape, values)), Int8s(shape, want));
  }
}

TEST(QuantizeWithOrderTest, WhatDoesNotFit) {
  ExpectError(QuantizedTo(2, Iota({2, 31})).status(), kInvalid, "do not fill");
  ExpectError(QuantizedTo(4, Iota({16, 32})).status(), kInvalid, "tiles of 32 x 32");
  ExpectError(QuantizedTo(5, Iota({2, 2})).status(), kInvalid, "order_output 5 is no order");
  ExpectError(QuantizedTo(0, Tensor::Scalar(1.0f)).status(), kInvalid, "a scalar is no matrix");
  ExpectTensor(QuantizedTo(2, Iota({0, 32})), Int8s({0, 32}, {}));
}

}  // namespace
}  // namespace onnxcmp::testing
