#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The example of the documentation, with an entry without tokens.

TEST(ContribPaddingTest, Removes) {
  OpTest test("RemovePadding", 1, "com.microsoft");
  test.Input(Iota({3, 2, 2})).Input(Tensor::Of<int32_t>({3}, {1, 0, 2})).Outputs(4);
  ExpectOutputs(test, {Tensor::Of<float>({3, 2}, {0, 1, 8, 9, 10, 11}),
                       Tensor::Of<int32_t>({3, 2}, {0, 4, 5, 1, 2, 3}),
                       Tensor::Of<int32_t>({4}, {0, 1, 1, 3}), Tensor::Of<int32_t>({1}, {2})});
}

TEST(ContribPaddingTest, RemovesFromNothing) {
  OpTest test("RemovePadding", 1, "com.microsoft");
  test.Input(Iota({0, 2, 2})).Input(Tensor::Of<int32_t>({0}, {})).Outputs(4);
  ExpectOutputs(test, {Iota({0, 2}), Tensor::Of<int32_t>({0, 2}, {}), Tensor::Of<int32_t>({1}, {0}),
                       Tensor::Of<int32_t>({1}, {0})});
}

TEST(ContribPaddingTest, RefusesCountsThatDoNotFit) {
  for (int count : {-1, 3}) {
    OpTest test("RemovePadding", 1, "com.microsoft");
    test.Input(Iota({1, 2, 2})).Input(Tensor::Of<int32_t>({1}, {count})).Outputs(4);
    ExpectError(test.Run().status(), kInvalid, "tokens of 2");
  }
}

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
