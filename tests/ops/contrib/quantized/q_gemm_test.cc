// The usual cases are golden ones, from onnxruntime.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// A = [1 2 3; 4 5 6] - 1, B = [1 0; 2 1; 3 1], AB = [8 3; 26 9].
OpTest QGemm() {
  OpTest test = Contrib("QGemm");
  AddQuantized(test, Uint8s({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::Scalar(0.5f),
               Tensor::Scalar<uint8_t>(1));
  return AddQuantized(test, Int8s({3, 2}, {1, 0, 2, 1, 3, 1}), Floats({2, 4}), Int8s({2}, {0, 0}));
}

TEST(QGemmTest, AlphaAppliesToAddend) {
  for (const Tensor& c : {Tensor::Of<int32_t>({2, 1}, {-8, 4}),
                          AsStridedView(Tensor::Of<int32_t>({2, 2}, {-8, -8, 4, 4}))}) {
    ExpectTensor(QGemm().Attr("alpha", 0.5f).Input(c).Run(),
                 Tensor::Of<float>({2, 2}, {0, -5, 15, 13}));
  }
}

TEST(QGemmTest, QuantizedResult) {
  const Tensor zero_point = Tensor::Scalar<uint8_t>(200);
  ExpectTensor(QGemm().NoInput().Input(Tensor::Scalar(0.25f)).Input(zero_point).Run(),
               Uint8s({2, 2}, {232, 224, 255, 255}));
}

TEST(QGemmTest, EmptySum) {
  OpTest test = Contrib("QGemm");
  AddQuantized(test, Uint8s({2, 0}, {}), Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(1));
  AddQuantized(test, Uint8s({0, 2}, {}), Tensor::Scalar(4.0f), Tensor::Scalar<uint8_t>(0));
  ExpectTensor(test.Input(Tensor::Of<int32_t>({2}, {3, -4})).Run(),
               Tensor::Of<float>({2, 2}, {6, -8, 6, -8}));
}

TEST(QGemmTest, BadInputs) {
  EXPECT_EQ(QGemm().Input(Tensor::Of<int32_t>({3}, {1, 2, 3})).Run().status().code(), kInvalid);
  ExpectError(QGemm().NoInput().Input(Tensor::Scalar(0.25f)).Run().status(), kInvalid,
              "y_scale and y_zero_point need each other");
  ExpectError(QGemm().Attr("transB", 1).Run().status(), kInvalid, "3 columns meet 2 rows");
  OpTest rank = Contrib("QGemm");
  AddQuantized(rank, Uint8s({2}, {1, 2}), Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(1));
  AddQuantized(rank, Uint8s({2, 1}, {1, 2}), Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(1));
  ExpectError(rank.Run().status(), kInvalid, "A and B must be matrices");
}

}  // namespace
}  // namespace onnxcmp::testing
