#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double.
TEST(BiasGeluTest, Values) {
  const Tensor a = Tensor::Of<float>({2, 3}, {-4, -1, 0, 0, 0.5f, 2});
  const Tensor bias = Tensor::Of<float>({3}, {1, 0, 1});
  const Tensor want = Tensor::Of<float>({2, 3}, {-0.004049694095f, -0.1586552539f, 0.8413447461f,
                                                 0.8413447461f, 0.3457312306f, 2.995950306f});
  ExpectTensor(OpTest("BiasGelu", 1, "com.microsoft").Input(a).Input(bias).Run(), want, 2e-6, 1e-7);
  ExpectTensor(OpTest("BiasGelu", 1, "com.microsoft")
                   .Input(Convert(a, DType::kDouble))
                   .Input(Convert(bias, DType::kDouble))
                   .Run(),
               Convert(want, DType::kDouble), 1e-6);
}

TEST(BiasGeluTest, BiasOfAnotherSize) {
  for (const Shape& shape : {Shape{2}, Shape{1}, Shape{1, 3}, Shape{}}) {
    ExpectError(OpTest("BiasGelu", 1, "com.microsoft")
                    .Input(RandomFloats({2, 3}, 1))
                    .Input(RandomFloats(shape, 1))
                    .Run()
                    .status(),
                kInvalid, "the bias must be a vector");
  }
}

}  // namespace
}  // namespace onnxcmp::testing
