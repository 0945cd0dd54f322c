#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Scaler(const std::vector<float>& offset, const std::vector<float>& scale) {
  OpTest test("Scaler", 1, "ai.onnx.ml");
  test.Attr("offset", offset).Attr("scale", scale);
  return test;
}

TEST(ScalerTest, AFactorAFeature) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, -1, -3});
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64}) {
    ExpectTensor(Scaler({0.5f, 1}, {2, 3}).Input(Convert(x, dtype)).Run(),
                 Tensor::Of<float>({2, 2}, {1, 3, -3, -12}));
  }
}

TEST(ScalerTest, OneFactorForAll) {
  ExpectTensor(Scaler({1}, {2}).Input(Iota({1, 2, 2})).Run(),
               Tensor::Of<float>({1, 2, 2}, {-2, 0, 2, 4}));
  ExpectTensor(Scaler({1}, {2}).Input(Tensor::Scalar(3.0f)).Run(), Tensor::Scalar(4.0f));
}

TEST(ScalerTest, LargeIntegersAreScaledBeforeTheyAreRounded) {
  ExpectTensor(Scaler({16777216}, {1}).Input(Ints({16777217})).Run(), Floats({1}));
}

TEST(ScalerTest, SizesThatDoNotFit) {
  ExpectError(Scaler({1, 2}, {2}).Input(Iota({1, 2})).Run().status(), kInvalid,
              "offset has 2 elements, scale 1");
  ExpectError(Scaler({1, 2}, {2, 3}).Input(Iota({1, 3})).Run().status(), kInvalid,
              "offset has 2 elements for 3 features");
  ExpectError(Scaler({1, 2}, {2, 3}).Input(Tensor::Scalar(1.0f)).Run().status(), kInvalid,
              "offset has 2 elements for 1 features");
}

}  // namespace
}  // namespace onnxcmp::testing
