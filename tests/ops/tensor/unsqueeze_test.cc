#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(UnsqueezeTest, InsertsDimensions) {
  Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectTensor(OpTest("Unsqueeze", 1).Attr("axes", std::vector<int64_t>{0, 3}).Input(x).Run(),
               Tensor::Of<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(OpTest("Unsqueeze", 11).Attr("axes", std::vector<int64_t>{-2}).Input(x).Run(),
               Tensor::Of<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  // In any order.
  ExpectTensor(OpTest("Unsqueeze", 13).Input(x).Input(Ints({-1, 2, 0})).Run(),
               Tensor::Of<float>({1, 2, 1, 3, 1}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(OpTest("Unsqueeze", 13).Input(Tensor::Scalar(5.0f)).Input(Ints({0})).Run(),
               Tensor::Of<float>({1}, {5}));
}

TEST(UnsqueezeTest, GivesAndTakesViews) {
  Tensor x = AsStridedView(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  absl::StatusOr<Tensor> y = OpTest("Unsqueeze", 13).Input(x).Input(Ints({1})).Run();
  ExpectTensor(y, Tensor::Of<float>({2, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(y->buffer(), x.buffer());
  Tensor packed = Convert(Tensor::Of<float>({3}, {1, 2, 3}), DType::kUint4);
  ExpectSameBits(OpTest("Unsqueeze", 23).Input(packed).Input(Ints({0})).Run(),
                 Convert(Tensor::Of<float>({1, 3}, {1, 2, 3}), DType::kUint4));
}

TEST(UnsqueezeTest, RefusesBadAxes) {
  Tensor x = Tensor::Of<float>({2}, {1, 2});
  ExpectError(OpTest("Unsqueeze", 13).Input(x).Input(Ints({0, -3})).Run().status(), kInvalid,
              "axis -3 is given twice");
  ExpectError(OpTest("Unsqueeze", 13).Input(x).Input(Ints({2})).Run().status(), kInvalid,
              "axis 2 is out of range for rank 2");
  ExpectError(OpTest("Unsqueeze", 13).Input(x).Input(Ints({INT64_MIN})).Run().status(), kInvalid,
              "is out of range for rank 2");
}

}  // namespace
}  // namespace onnxcmp::testing
