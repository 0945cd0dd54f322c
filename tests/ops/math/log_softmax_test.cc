#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor kX = Tensor::Of<float>({2, 2, 2}, {0, 1, 2, 4, -1, 0, 3, 3.5});
// NumPy, in double: the logarithm of exp(x - max) / sum(exp(x - max)).
const Tensor kLastAxis =
    Tensor::Of<double>({2, 2, 2}, {-1.3132616875182228, -0.3132616875182228, -2.1269280110429727,
                                   -0.12692801104297263, -1.3132616875182228, -0.3132616875182228,
                                   -0.9740769841801066, -0.47407698418010663});
const Tensor kMiddleAxis =
    Tensor::Of<double>({2, 2, 2}, {-2.1269280110429727, -3.048587351573742, -0.12692801104297263,
                                   -0.04858735157374191, -4.01814992791781, -3.5297504182726205,
                                   -0.01814992791780973, -0.029750418272620607});
const Tensor kCoerced = Tensor::Of<double>(
    {2, 2, 2}, {-4.185182452603812, -3.1851824526038124, -2.1851824526038124, -0.1851824526038126,
                -4.999463542904516, -3.999463542904515, -0.9994635429045152, -0.49946354290451517});

OpTest LogSoftmax(int opset, DType dtype = DType::kFloat) {
  OpTest test("LogSoftmax", opset);
  test.Input(Convert(kX, dtype));
  return test;
}

TEST(LogSoftmaxTest, LastAxisByDefault) {
  ExpectTensor(LogSoftmax(13).Run(), Convert(kLastAxis, DType::kFloat), 1e-6, 1e-7);
  ExpectTensor(LogSoftmax(13, DType::kDouble).Run(), kLastAxis, 1e-14);
}

TEST(LogSoftmaxTest, AnyAxis) {
  OpTest test = LogSoftmax(13);
  test.Attr("axis", 1);
  ExpectTensor(test.Run(), Convert(kMiddleAxis, DType::kFloat), 1e-6, 1e-7);
  OpTest negative = LogSoftmax(13);
  negative.Attr("axis", -2);
  ExpectTensor(negative.Run(), Convert(kMiddleAxis, DType::kFloat), 1e-6, 1e-7);
}

TEST(LogSoftmaxTest, CoercedToTwoDimensionsBefore13) {
  for (int opset : {1, 11}) {
    ExpectTensor(LogSoftmax(opset).Run(), Convert(kCoerced, DType::kFloat), 1e-6, 1e-7);
  }
}

// Not after every step, as the function body would.
TEST(LogSoftmaxTest, NarrowFloatsAreRoundedOnce) {
  ExpectTensor(LogSoftmax(13, DType::kFloat16).Run(), Convert(kLastAxis, DType::kFloat16));
  ExpectTensor(LogSoftmax(13, DType::kBfloat16).Run(), Convert(kLastAxis, DType::kBfloat16));
}

TEST(LogSoftmaxTest, StridedView) {
  OpTest test("LogSoftmax", 13);
  test.Input(AsStridedView(kX));
  ExpectTensor(test.Run(), Convert(kLastAxis, DType::kFloat), 1e-6, 1e-7);
}

TEST(LogSoftmaxTest, LargeValuesDoNotOverflow) {
  OpTest test("LogSoftmax", 13);
  test.Input(Tensor::Of<float>({1, 2}, {3e38f, 3e38f}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2}, {-0.6931472f, -0.6931472f}));
}

TEST(LogSoftmaxTest, InfinityAndNaN) {
  OpTest test("LogSoftmax", 13);
  test.Input(Tensor::Of<float>({4, 2}, {-kInf, 0, kInf, 0, kNaN, 0, -kInf, -kInf}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({4, 2}, {-kInf, 0, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN}));
}

TEST(LogSoftmaxTest, Empty) {
  OpTest test("LogSoftmax", 13);
  test.Input(Tensor::Of<float>({2, 0}, {}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 0}, {}));
}

// The bits of a lane depend on its elements alone: not on whether they are neighbours in memory,
// which lanes are computed with them, or how many threads there are.
TEST(LogSoftmaxTest, SameBitsHoweverTheLaneLies) {
  for (int64_t length : {3, 33, 1500}) {
    const Tensor columns = RandomFloats({length, 70}, 1, 4);
    OpTest outer("LogSoftmax", 13);
    outer.Attr("axis", 0).Input(columns).Threads(2);
    const Tensor y = *outer.Run();
    OpTest inner("LogSoftmax", 13);
    inner.Input(columns.Strided({70, length}, {1, 70}, 0)).Threads(1);
    ExpectSameBits(inner.Run(), *y.Strided({70, length}, {1, 70}, 0).Contiguous());
  }
}

TEST(LogSoftmaxTest, BadAxis) {
  OpTest test = LogSoftmax(13);
  test.Attr("axis", 3);
  ExpectError(test.Run().status(), kInvalid, "axis 3 is out of range for rank 3");
  OpTest scalar("LogSoftmax", 13);
  scalar.Input(Tensor::Scalar(1.0f));
  ExpectError(scalar.Run().status(), kInvalid, "rank 0");
}

}  // namespace
}  // namespace onnxcmp::testing
