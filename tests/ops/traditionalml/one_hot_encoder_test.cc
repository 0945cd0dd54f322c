#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Encoder() {
  OpTest test("OneHotEncoder", 1, "ai.onnx.ml");
  test.Attr("cats_int64s", std::vector<int64_t>{1, -1, 3});
  return test;
}

TEST(OneHotEncoderTest, NumbersAreTruncated) {
  ExpectTensor(Encoder().Input(Tensor::Of<float>({2, 2}, {1.7f, -1.2f, kNaN, kInf})).Run(),
               Tensor::Of<float>({2, 2, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  ExpectTensor(Encoder().Input(Tensor::Of<int32_t>({2}, {3, 0})).Run(),
               Tensor::Of<float>({2, 3}, {0, 0, 1, 0, 0, 0}));
}

TEST(OneHotEncoderTest, StringsAndEqualCategories) {
  OpTest test("OneHotEncoder", 1, "ai.onnx.ml");
  test.Attr("cats_strings", std::vector<std::string>{"a", "b", "a"})
      .Input(Tensor::Of<std::string>({3}, {"a", "c", "b"}));
  ExpectTensor(test.Run(), Tensor::Of<float>({3, 3}, {0, 0, 1, 0, 0, 0, 0, 1, 0}));
}

TEST(OneHotEncoderTest, ScalarAndEmpty) {
  ExpectTensor(Encoder().Input(Tensor::Scalar<int64_t>(3)).Run(), Floats({0, 0, 1}));
  ExpectTensor(Encoder().Input(Tensor::Of<int64_t>({0}, {})).Run(), Tensor::Of<float>({0, 3}, {}));
}

TEST(OneHotEncoderTest, UnknownCategories) {
  ExpectError(Encoder().Attr("zeros", 0).Input(Ints({1, 2})).Run().status(), kInvalid,
              "element 1 is no category");
  ExpectError(Encoder().Input(Tensor::Of<std::string>({1}, {"a"})).Run().status(), kInvalid,
              "the keys are int64");
}

}  // namespace
}  // namespace onnxcmp::testing
