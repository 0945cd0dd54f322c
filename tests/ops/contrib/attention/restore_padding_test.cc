#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ContribPaddingTest, Restores) {
  OpTest test("RestorePadding", 1, "com.microsoft");
  test.Input(Convert(Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), DType::kFloat16));
  test.Input(Tensor::Of<int32_t>({3, 2}, {0, 4, 5, 1, 2, 3}));
  ExpectTensor(
      test.Run(),
      Convert(Tensor::Of<float>({3, 2, 2}, {1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6}), DType::kFloat16));
}

TEST(ContribPaddingTest, RestoresOneTokenAndNone) {
  OpTest one("RestorePadding", 1, "com.microsoft");
  one.Input(Floats({7}).Reshaped({1, 1})).Input(Tensor::Of<int32_t>({1, 3}, {1, 0, 2}));
  ExpectTensor(one.Run(), Tensor::Of<float>({1, 3, 1}, {0, 7, 0}));
  OpTest none("RestorePadding", 1, "com.microsoft");
  none.Input(Iota({0, 1})).Input(Tensor::Of<int32_t>({1, 2}, {0, 1}));
  ExpectTensor(none.Run(), Tensor::Of<float>({1, 2, 1}, {0, 0}));
}

TEST(ContribPaddingTest, RefusesPlacesThatAreNotThere) {
  for (int place : {-1, 2}) {
    OpTest test("RestorePadding", 1, "com.microsoft");
    test.Input(Iota({1, 1})).Input(Tensor::Of<int32_t>({1, 2}, {place, 0}));
    ExpectError(test.Run().status(), kInvalid, "is outside of 2 places");
  }
  OpTest many("RestorePadding", 1, "com.microsoft");
  many.Input(Iota({3, 1})).Input(Tensor::Of<int32_t>({1, 2}, {0, 1}));
  ExpectError(many.Run().status(), kInvalid, "(batch, sequence) for 3 tokens");
}

}  // namespace
}  // namespace onnxcmp::testing
