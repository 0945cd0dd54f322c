#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: onnxruntime 1.31, which multiplies with floor(1 / 0.0066) = 151.
TEST(QLinearSoftmaxTest, ScaleIsInvertedAndCut) {
  const Tensor zero = Tensor::Scalar<uint8_t>(100);
  ExpectTensor(
      QuantizedOp("QLinearSoftmax", Uint8s({1, 3}, {5, 100, 250}), 0.02f, zero, 0.0066f, zero)
          .Attr("opset", 13)
          .Run(),
      Uint8s({1, 3}, {101, 107, 243}));
}

TEST(QLinearSoftmaxTest, BadAttributes) {
  const Tensor zero = Tensor::Scalar<uint8_t>(0);
  OpTest test = QuantizedOp("QLinearSoftmax", Uint8s({3}, {5, 100, 250}), 0.02f, zero, 0.5f, zero);
  test.Attr("opset", 0);
  ExpectError(test.Run().status(), kInvalid, "opset is 0");
  test.Attr("opset", 13).Attr("axis", 1);
  ExpectError(test.Run().status(), kInvalid, "axis 1 is out of range");
}

TEST(QLinearSoftmaxTest, Empty) {
  const Tensor zero = Tensor::Scalar<int8_t>(0);
  OpTest test = QuantizedOp("QLinearSoftmax", Int8s({0, 3}, {}), 0.02f, zero, 0.5f, zero);
  ExpectTensor(test.Attr("opset", 11).Run(), Int8s({0, 3}, {}));
}

}  // namespace
}  // namespace onnxcmp::testing
