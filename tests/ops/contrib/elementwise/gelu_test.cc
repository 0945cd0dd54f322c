#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double; special ones: onnxruntime 1.31.
TEST(ContribGeluTest, Values) {
  const Tensor x = Tensor::Of<float>({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  const Tensor want = Tensor::Of<float>({7}, {-0.004049694095f, -0.1586552539f, -0.1542687694f, 0,
                                              0.3457312306f, 0.8413447461f, 2.995950306f});
  ExpectTensor(OpTest("Gelu", 1, "com.microsoft").Input(x).Run(), want, 2e-6, 1e-7);
  ExpectTensor(OpTest("Gelu", 1, "com.microsoft").Input(Convert(x, DType::kDouble)).Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-9);
  ExpectTensor(OpTest("Gelu", 1, "com.microsoft").Input(Convert(x, DType::kFloat16)).Run(),
               Convert(want, DType::kFloat16), 1e-3);
  ExpectTensor(OpTest("Gelu", 1, "com.microsoft").Input(Tensor::Of<float>({0}, {})).Run(),
               Tensor::Of<float>({0}, {}));
}

TEST(ContribGeluTest, SpecialValues) {
  ExpectTensor(OpTest("Gelu", 1, "com.microsoft")
                   .Input(Tensor::Of<float>({4}, {NAN, INFINITY, -INFINITY, -0.0f}))
                   .Run(),
               Tensor::Of<float>({4}, {NAN, INFINITY, NAN, -0.0f}));
}

}  // namespace
}  // namespace onnxcmp::testing
