#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(SqueezeTest, RemovesTheAxesGiven) {
  Tensor x = Tensor::Of<float>({1, 3, 1}, {1, 2, 3});
  ExpectTensor(OpTest("Squeeze", 1).Attr("axes", std::vector<int64_t>{0}).Input(x).Run(),
               Tensor::Of<float>({3, 1}, {1, 2, 3}));
  ExpectTensor(OpTest("Squeeze", 11).Attr("axes", std::vector<int64_t>{-1, 0}).Input(x).Run(),
               Tensor::Of<float>({3}, {1, 2, 3}));
  ExpectTensor(OpTest("Squeeze", 13).Input(x).Input(Ints({-1})).Run(),
               Tensor::Of<float>({1, 3}, {1, 2, 3}));
}

TEST(SqueezeTest, RemovesAllOfSizeOneWithoutAxes) {
  Tensor x = Tensor::Of<float>({1, 3, 1}, {1, 2, 3});
  for (int opset : {1, 11, 13, 25}) {
    ExpectTensor(OpTest("Squeeze", opset).Input(x).Run(), Tensor::Of<float>({3}, {1, 2, 3}));
  }
  ExpectTensor(OpTest("Squeeze", 13).Input(Tensor::Of<float>({1, 1}, {5})).Run(),
               Tensor::Scalar(5.0f));
  // Axes that are given, but none: nothing is removed.
  ExpectTensor(OpTest("Squeeze", 13).Input(x).Input(Ints({})).Run(), x);
}

TEST(SqueezeTest, GivesAndTakesViews) {
  Tensor x = AsStridedView(Tensor::Of<float>({2, 1, 2}, {1, 2, 3, 4}));
  absl::StatusOr<Tensor> y = OpTest("Squeeze", 13).Input(x).Input(Ints({1})).Run();
  ExpectTensor(y, Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(y->buffer(), x.buffer());
  Tensor packed = Convert(Tensor::Of<float>({1, 3}, {1, 2, 3}), DType::kUint4);
  ExpectSameBits(OpTest("Squeeze", 23).Input(packed).Run(),
                 Convert(Tensor::Of<float>({3}, {1, 2, 3}), DType::kUint4));
}

TEST(SqueezeTest, RefusesBadAxes) {
  Tensor x = Tensor::Of<float>({1, 4}, {1, 2, 3, 4});
  ExpectError(OpTest("Squeeze", 13).Input(x).Input(Ints({1})).Run().status(), kInvalid,
              "cannot squeeze axis 1: its size is 4, not 1");
  ExpectError(OpTest("Squeeze", 13).Input(x).Input(Ints({2})).Run().status(), kInvalid,
              "axis 2 is out of range for rank 2");
  ExpectError(OpTest("Squeeze", 13).Input(x).Input(Ints({INT64_MIN})).Run().status(), kInvalid,
              "is out of range for rank 2");
}

}  // namespace
}  // namespace onnxcmp::testing
