// onnxruntime has the operator for CUDA only. Expected values: NumPy, from the definition.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest QOrderedMatMul(int order_b = 0) {
  OpTest test("QOrderedMatMul", 1, "com.microsoft");
  test.Attr("order_A", 1).Attr("order_B", order_b).Attr("order_Y", 1);
  return test;
}

TEST(QOrderedMatMulTest, BiasAndAddend) {
  const Tensor b = Int8s({3, 2}, {1, 3, -5, -2, 4, 60});  // in column-major order
  for (const bool batched : {false, true}) {
    for (const bool with_c : {false, true}) {
      OpTest test = QOrderedMatMul();
      test.Input(Int8s(batched ? Shape{1, 2, 3} : Shape{2, 3}, {10, -20, 30, 127, -128, 5}));
      test.Input(Tensor::Scalar(0.5f)).Input(b).Input(Floats({0.25f, 0.1f}));
      test.Input(Tensor::Scalar(0.75f)).Input(Floats({1.5f, -2.25f}));
      if (with_c) {
        test.Input(Int8s({2, 2}, {4, -8, 100, -100})).Input(Tensor::Scalar(0.125f));
      }
      ExpectTensor(test.Run(), Int8s(batched ? Shape{1, 2, 2} : Shape{2, 2},
                                     with_c ? std::vector<int8_t>{-31, 109, -28, -51}
                                            : std::vector<int8_t>{-31, 110, -45, -34}));
    }
  }
}

TEST(QOrderedMatMulTest, MatricesOfABatch) {
  OpTest test = QOrderedMatMul();
  test.Input(Int8s({2, 1, 2}, {1, 2, 3, 4})).Input(Tensor::Scalar(1.0f));
  test.Input(Int8s({2, 2, 1}, {5, 6, 7, 8}))
      .Input(Tensor::Scalar(1.0f))
      .Input(Tensor::Scalar(1.0f));
  ExpectTensor(test.Run(), Int8s({2, 1, 1}, {17, 53}));
}

TEST(QOrderedMatMulTest, Refused) {
  const Tensor a = Int8s({2, 2}, {1, 2, 3, 4});
  const Tensor one = Tensor::Scalar(1.0f);
  ExpectError(QOrderedMatMul(3).Input(a).Input(one).Input(a).Input(one).Input(one).Run().status(),
              kUnimplemented, "order_B 3 is not supported");
  ExpectError(QOrderedMatMul()
                  .Input(a)
                  .Input(one)
                  .Input(Int8s({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
                  .Input(one)
                  .Input(one)
                  .Run()
                  .status(),
              kInvalid, "A is int8[2,2], but B");
  OpTest addend = QOrderedMatMul();
  addend.Input(a).Input(one).Input(a).Input(one).Input(one).NoInput();
  addend.Input(Int8s({1, 2}, {1, 2})).Input(one);
  ExpectError(addend.Run().status(), kInvalid, "C is int8[1,2]");
}

}  // namespace
}  // namespace onnxcmp::testing
