#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor kX = Tensor::Of<float>({2, 2, 2}, {0, 1, 2, 4, -1, 0, 3, 3.5});
// NumPy, in double: exp(x - max) / sum(exp(x - max)).
const Tensor kLastAxis = Tensor::Of<double>(
    {2, 2, 2}, {0.2689414213699951, 0.7310585786300049, 0.11920292202211755, 0.8807970779778823,
                0.2689414213699951, 0.7310585786300049, 0.37754066879814546, 0.6224593312018546});
const Tensor kMiddleAxis =
    Tensor::Of<double>({2, 2, 2}, {0.11920292202211755, 0.04742587317756679, 0.8807970779778823,
                                   0.9525741268224334, 0.017986209962091555, 0.029312230751356316,
                                   0.9820137900379085, 0.9706877692486436});
const Tensor kCoerced =
    Tensor::Of<double>({2, 2, 2}, {0.015219428864155926, 0.04137069692096015, 0.11245721367093255,
                                   0.8309526605439513, 0.006741562588279656, 0.01832546707913992,
                                   0.36807684565272486, 0.6068561246798555});

OpTest Softmax(int opset, DType dtype = DType::kFloat) {
  OpTest test("Softmax", opset);
  test.Input(Convert(kX, dtype));
  return test;
}

TEST(SoftmaxTest, LastAxisByDefault) {
  ExpectTensor(Softmax(13).Run(), Convert(kLastAxis, DType::kFloat), 1e-6);
  ExpectTensor(Softmax(13, DType::kDouble).Run(), kLastAxis, 1e-14);
}

TEST(SoftmaxTest, AnyAxis) {
  OpTest test = Softmax(13);
  test.Attr("axis", 1);
  ExpectTensor(test.Run(), Convert(kMiddleAxis, DType::kFloat), 1e-6);
  OpTest negative = Softmax(13);
  negative.Attr("axis", -2);
  ExpectTensor(negative.Run(), Convert(kMiddleAxis, DType::kFloat), 1e-6);
}

TEST(SoftmaxTest, CoercedToTwoDimensionsBefore13) {
  for (int opset : {1, 11}) {
    ExpectTensor(Softmax(opset).Run(), Convert(kCoerced, DType::kFloat), 1e-6);
  }
}

// Not after every step, as the function body would.
TEST(SoftmaxTest, NarrowFloatsAreRoundedOnce) {
  ExpectTensor(Softmax(13, DType::kFloat16).Run(), Convert(kLastAxis, DType::kFloat16));
  ExpectTensor(Softmax(13, DType::kBfloat16).Run(), Convert(kLastAxis, DType::kBfloat16));
}

TEST(SoftmaxTest, StridedView) {
  OpTest test("Softmax", 13);
  test.Input(AsStridedView(kX));
  ExpectTensor(test.Run(), Convert(kLastAxis, DType::kFloat), 1e-6);
}

TEST(SoftmaxTest, LargeValuesDoNotOverflow) {
  OpTest test("Softmax", 13);
  test.Input(Tensor::Of<float>({1, 2}, {3e38f, 3e38f}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2}, {0.5f, 0.5f}));
}

TEST(SoftmaxTest, InfinityAndNaN) {
  OpTest test("Softmax", 13);
  test.Input(Tensor::Of<float>({4, 2}, {-kInf, 0, kInf, 0, kNaN, 0, -kInf, -kInf}));
  ExpectTensor(test.Run(), Tensor::Of<float>({4, 2}, {0, 1, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN}));
}

TEST(SoftmaxTest, Empty) {
  OpTest test("Softmax", 13);
  test.Input(Tensor::Of<float>({2, 0}, {}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 0}, {}));
}

// The bits of a lane depend on its elements alone: not on whether they are neighbours in memory,
// which lanes are computed with them, or how many threads there are.
TEST(SoftmaxTest, SameBitsHoweverTheLaneLies) {
  for (int64_t length : {3, 33, 1500}) {
    const Tensor columns = RandomFloats({length, 70}, 1, 4);
    OpTest outer("Softmax", 13);
    outer.Attr("axis", 0).Input(columns).Threads(2);
    const Tensor y = *outer.Run();
    OpTest inner("Softmax", 13);
    inner.Input(columns.Strided({70, length}, {1, 70}, 0)).Threads(1);
    ExpectSameBits(inner.Run(), *y.Strided({70, length}, {1, 70}, 0).Contiguous());
  }
}

TEST(SoftmaxTest, BadAxis) {
  OpTest test = Softmax(13);
  test.Attr("axis", 3);
  ExpectError(test.Run().status(), kInvalid, "axis 3 is out of range for rank 3");
  OpTest scalar("Softmax", 13);
  scalar.Input(Tensor::Scalar(1.0f));
  ExpectError(scalar.Run().status(), kInvalid, "rank 0");
}

}  // namespace
}  // namespace onnxcmp::testing
