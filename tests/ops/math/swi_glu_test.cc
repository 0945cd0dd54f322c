#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// a / (1 + exp(-alpha a)) * b in double, by Python.
TEST(SwiGluTest, Values) {
  ONNXCMP_NEEDS_OPSET(28);
  const Tensor a = Tensor::Of<float>({5}, {-1, 0, 1, 2.5f, kNaN});
  const Tensor b = Tensor::Of<float>({5}, {2, 3, -1, 0.5f, 1});
  ExpectTensor(OpTest("SwiGLU", 28).Input(a).Input(b).Run(),
               Tensor::Of<float>({5}, {-0.537882843f, 0, -0.731058579f, 1.15517730f, kNaN}), 1e-6);
  ExpectTensor(OpTest("SwiGLU", 28).Attr("alpha", 2.0f).Input(AsStridedView(a)).Input(b).Run(),
               Tensor::Of<float>({5}, {-0.238405844f, 0, -0.880797078f, 1.24163394f, kNaN}), 1e-6);
}

// Swish(1) is 0.73096 in float16, and 2.5 times that is 1.827.
TEST(SwiGluTest, RoundsOnce) {
  ONNXCMP_NEEDS_OPSET(28);
  const auto half = [](float x) { return Convert(Tensor::Of<float>({1}, {x}), DType::kFloat16); };
  ExpectSameBits(OpTest("SwiGLU", 28).Input(half(1)).Input(half(2.5f)).Run(), half(1.82764645f));
}

TEST(SwiGluTest, DoesNotBroadcast) {
  ONNXCMP_NEEDS_OPSET(28);
  ExpectError(OpTest("SwiGLU", 28).Input(Iota({2, 3})).Input(Iota({3})).Run().status(), kInvalid,
              "A is float[2,3], but B is float[3]; their shapes must be the same");
}

}  // namespace
}  // namespace onnxcmp::testing
