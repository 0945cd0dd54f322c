#include <cstdint>

#include "gtest/gtest.h"
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

}  // namespace
}  // namespace onnxcmp::testing
