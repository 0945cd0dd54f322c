#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest AffineGrid(const Tensor& theta, const Tensor& size, int align_corners) {
  OpTest test("AffineGrid", 20);
  test.Attr("align_corners", align_corners).Input(theta).Input(size);
  return test;
}

// x' = x + 10, y' = 2 y: by hand.
TEST(AffineGridTest, OneMatrix) {
  const Tensor theta = Tensor::Of<float>({1, 2, 3}, {1, 0, 10, 0, 2, 0});
  ExpectTensor(AffineGrid(theta, Ints({1, 1, 2, 2}), 0).Run(),
               Tensor::Of<float>({1, 2, 2, 2}, {9.5f, -1, 10.5f, -1, 9.5f, 1, 10.5f, 1}));
  ExpectTensor(AffineGrid(theta, Ints({1, 1, 2, 2}), 1).Run(),
               Tensor::Of<float>({1, 2, 2, 2}, {9, -2, 11, -2, 9, 2, 11, 2}));
}

// The only position of a dimension is in its middle, as in onnxruntime and PyTorch.
TEST(AffineGridTest, DimensionsOfOne) {
  const Tensor theta = Tensor::Of<double>({1, 2, 3}, {1, 0, 10, 0, 2, 3});
  ExpectTensor(AffineGrid(theta, Ints({1, 5, 1, 2}), 1).Run(),
               Tensor::Of<double>({1, 1, 2, 2}, {9, 3, 11, 3}));
}

// The order of coordinates is x, y, z for dimensions D, H, W. Values of onnxruntime.
TEST(AffineGridTest, Volumes) {
  std::vector<float> theta(12);
  for (size_t i = 0; i < theta.size(); ++i) theta[i] = static_cast<float>(i);
  ExpectTensor(AffineGrid(Tensor::Of<float>({1, 3, 4}, theta), Ints({1, 2, 2, 2, 1}), 0).Run(),
               Tensor::Of<float>({1, 2, 2, 1, 3}, {1.5f, 1.5f, 1.5f, 2.5f, 6.5f, 10.5f, 3.5f, 7.5f,
                                                   11.5f, 4.5f, 12.5f, 20.5f}));
}

TEST(AffineGridTest, WrongShapes) {
  const Tensor theta = Tensor::Of<float>({1, 2, 3}, {1, 0, 10, 0, 2, 0});
  ExpectError(AffineGrid(theta, Ints({1, 1, 2}), 0).Run().status(), kInvalid, "does not fit size");
  ExpectError(AffineGrid(theta, Ints({2, 1, 2, 2}), 0).Run().status(), kInvalid,
              "theta of shape [1,2,3] does not fit size 2x1x2x2");
}

}  // namespace
}  // namespace onnxcmp::testing
