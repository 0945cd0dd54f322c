#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Floating(const std::vector<float>& imputed, float replaced) {
  OpTest test("Imputer", 1, "ai.onnx.ml");
  test.Attr("imputed_value_floats", imputed).Attr("replaced_value_float", replaced);
  return test;
}
OpTest Integer(const std::vector<int64_t>& imputed, int64_t replaced) {
  OpTest test("Imputer", 1, "ai.onnx.ml");
  test.Attr("imputed_value_int64s", imputed).Attr("replaced_value_int64", replaced);
  return test;
}

TEST(ImputerTest, AValueAFeature) {
  for (const DType dtype : {DType::kFloat, DType::kDouble}) {
    const Tensor x = Convert(Tensor::Of<float>({2, 2}, {0, 1, kNaN, -0.0f}), dtype);
    ExpectTensor(Floating({8, 9}, 0).Input(x).Run(),
                 Convert(Tensor::Of<float>({2, 2}, {8, 1, kNaN, 9}), dtype));
    ExpectTensor(Floating({7}, kNaN).Input(x).Run(),
                 Convert(Tensor::Of<float>({2, 2}, {0, 1, 7, 0}), dtype));
  }
}

TEST(ImputerTest, Integers) {
  constexpr int64_t kLarge = (int64_t{1} << 53) + 1;
  ExpectTensor(Integer({kLarge}, kLarge + 1).Input(Ints({kLarge - 1, kLarge + 1})).Run(),
               Ints({kLarge - 1, kLarge}));
  ExpectTensor(Integer({1, 2}, 0).Input(Tensor::Of<int32_t>({2, 2}, {0, 0, 5, 6})).Run(),
               Tensor::Of<int32_t>({2, 2}, {1, 2, 5, 6}));
}

TEST(ImputerTest, BadValues) {
  ExpectError(Floating({1, 2}, 0).Input(Iota({2, 3})).Run().status(), kInvalid,
              "the imputed value has 2 elements for 3 features");
  ExpectError(Floating({1}, 0).Input(Ints({1})).Run().status(), kInvalid,
              "the input is int64[1], the imputed values are float");
  ExpectError(Integer({1}, 0).Input(Floats({1})).Run().status(), kInvalid,
              "the imputed values are int64");
  ExpectError(Integer({int64_t{1} << 31}, 0).Input(Tensor::Of<int32_t>({1}, {0})).Run().status(),
              kInvalid, "does not fit into int32");
  ExpectError(Floating({1}, 0)
                  .Attr("imputed_value_int64s", std::vector<int64_t>{1})
                  .Input(Floats({1}))
                  .Run()
                  .status(),
              kInvalid, "both of imputed_value_floats and imputed_value_int64s");
}

}  // namespace
}  // namespace onnxcmp::testing
