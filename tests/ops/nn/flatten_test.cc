#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

std::vector<int64_t> FlattenedShape(int64_t axis, int opset = 13) {
  absl::StatusOr<Tensor> y =
      OpTest("Flatten", opset).Attr("axis", axis).Input(RandomFloats({2, 3, 4}, 1)).Run();
  if (!y.ok()) return {};
  return {y->shape().begin(), y->shape().end()};
}

using Dims = std::vector<int64_t>;

TEST(FlattenTest, MakesTwoDimensions) {
  EXPECT_EQ(FlattenedShape(0), Dims({1, 24}));
  EXPECT_EQ(FlattenedShape(1, 1), Dims({2, 12}));
  EXPECT_EQ(FlattenedShape(2, 9), Dims({6, 4}));
  EXPECT_EQ(FlattenedShape(3), Dims({24, 1}));
  EXPECT_EQ(FlattenedShape(-1), Dims({6, 4}));
  EXPECT_EQ(FlattenedShape(-3), Dims({1, 24}));
  ExpectTensor(OpTest("Flatten", 13).Attr("axis", 0).Input(Tensor::Scalar(5.0f)).Run(),
               Tensor::Of<float>({1, 1}, {5}));
  ExpectTensor(OpTest("Flatten", 13).Input(Tensor::Of<float>({2, 0, 3}, {})).Run(),
               Tensor::Of<float>({2, 0}, {}));
}

TEST(FlattenTest, IsAView) {
  Tensor x = Convert(Tensor::Of<float>({1, 3, 1}, {1, 2, 3}), DType::kInt4);
  absl::StatusOr<Tensor> y = OpTest("Flatten", 23).Input(x).Run();
  ExpectSameBits(y, Convert(Tensor::Of<float>({1, 3}, {1, 2, 3}), DType::kInt4));
  EXPECT_EQ(y->buffer(), x.buffer());
}

TEST(FlattenTest, TakesAView) {
  ExpectTensor(
      OpTest("Flatten", 13).Input(AsStridedView(Tensor::Of<float>({2, 1, 2}, {1, 2, 3, 4}))).Run(),
      Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
}

TEST(FlattenTest, RefusesBadAxes) {
  for (int64_t axis : {int64_t{4}, int64_t{-4}, INT64_MIN, INT64_MAX}) {
    ExpectError(
        OpTest("Flatten", 13).Attr("axis", axis).Input(RandomFloats({2, 3, 4}, 1)).Run().status(),
        kInvalid, "is out of range for rank 3");
  }
}

}  // namespace
}  // namespace onnxcmp::testing
