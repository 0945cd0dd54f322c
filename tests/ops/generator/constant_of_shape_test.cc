#include <complex>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ConstantOfShapeTest, GivesFloatZerosByDefault) {
  ExpectSameBits(OpTest("ConstantOfShape", 9).Input(Ints({2, 1})).Run(),
                 Tensor::Of<float>({2, 1}, {0, 0}));
}

TEST(ConstantOfShapeTest, RepeatsTheValue) {
  OpTest test("ConstantOfShape", 9);
  test.Attr("value", Ints({-7})).Input(Ints({3}));
  ExpectTensor(test.Run(), Ints({-7, -7, -7}));
  OpTest half("ConstantOfShape", 20);
  half.Attr("value", Convert(Tensor::Of<float>({1}, {1.5f}), DType::kFloat16)).Input(Ints({5}));
  ExpectTensor(half.Run(),
               Convert(Tensor::Of<float>({5}, {1.5f, 1.5f, 1.5f, 1.5f, 1.5f}), DType::kFloat16));
}

TEST(ConstantOfShapeTest, GivesScalarsAndEmptyTensors) {
  ExpectTensor(OpTest("ConstantOfShape", 9).Input(Ints({})).Run(), Tensor::Scalar(0.0f));
  ExpectTensor(OpTest("ConstantOfShape", 9).Input(Ints({2, 0})).Run(),
               Tensor::Of<float>({2, 0}, {}));
}

TEST(ConstantOfShapeTest, PacksElementsOfLessThanAByte) {
  for (DType dtype : {DType::kInt4, DType::kUint2}) {
    OpTest test("ConstantOfShape", 25);
    test.Attr("value", Convert(Tensor::Of<float>({1}, {1}), dtype)).Input(Ints({5}));
    ExpectSameBits(test.Run(), Convert(Tensor::Of<float>({5}, {1, 1, 1, 1, 1}), dtype));
  }
}

TEST(ConstantOfShapeTest, RefusesBadShapesAndValues) {
  constexpr int64_t k32 = int64_t{1} << 32;
  auto run = [](const std::vector<int64_t>& shape) {
    return OpTest("ConstantOfShape", 9).Input(Ints(shape)).Run().status();
  };
  ExpectError(run({2, -1}), kInvalid, "cannot have the shape [2,-1]");
  ExpectError(run({k32, k32}), absl::StatusCode::kResourceExhausted, "");
  ExpectError(run({k32, 1 << 20}), absl::StatusCode::kResourceExhausted, "more than the limit");
  OpTest two("ConstantOfShape", 9);
  two.Attr("value", Ints({1, 2})).Input(Ints({2}));
  ExpectError(two.Run().status(), kInvalid,
              "the attribute value must hold one element, not int64[2]");
}

}  // namespace
}  // namespace onnxcmp::testing
