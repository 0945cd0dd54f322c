#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double; special ones: onnxruntime 1.31.
TEST(QuickGeluTest, Values) {
  const Tensor x = Tensor::Of<float>({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  const Tensor want = Tensor::Of<float>({7}, {-0.01807130971f, -0.1542042341f, -0.1496115634f, 0,
                                              0.3503884366f, 0.8457957659f, 2.98192869f});
  ExpectTensor(OpTest("QuickGelu", 1, "com.microsoft").Input(x).Run(), want, 1e-6, 1e-7);
  ExpectTensor(OpTest("QuickGelu", 1, "com.microsoft").Input(Convert(x, DType::kDouble)).Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-9);
  ExpectTensor(OpTest("QuickGelu", 1, "com.microsoft").Input(Convert(x, DType::kFloat16)).Run(),
               Convert(want, DType::kFloat16), 1e-3);
  ExpectTensor(OpTest("QuickGelu", 1, "com.microsoft").Input(Tensor::Of<float>({0}, {})).Run(),
               Tensor::Of<float>({0}, {}));
}

TEST(QuickGeluTest, SpecialValues) {
  ExpectTensor(OpTest("QuickGelu", 1, "com.microsoft")
                   .Input(Tensor::Of<float>({4}, {NAN, INFINITY, -INFINITY, -0.0f}))
                   .Run(),
               Tensor::Of<float>({4}, {NAN, INFINITY, NAN, -0.0f}));
}

TEST(QuickGeluTest, Alpha) {
  ExpectTensor(OpTest("QuickGelu", 1, "com.microsoft")
                   .Attr("alpha", -1.0f)
                   .Input(Tensor::Of<float>({2}, {2, -2}))
                   .Run(),
               Tensor::Of<float>({2}, {0.2384058440f, -1.7615941560f}), 1e-6);
}

}  // namespace
}  // namespace onnxcmp::testing
