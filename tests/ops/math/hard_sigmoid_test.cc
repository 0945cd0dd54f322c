#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// alpha is 0.2 and beta 0.5 by default.
TEST(HardSigmoidTest, Values) {
  ExpectTensor(OpTest("HardSigmoid", 6).Input(Tensor::Of<float>({6}, {-3, -1, 0, 1, 3, NAN})).Run(),
               Tensor::Of<float>({6}, {0, 0.3f, 0.5f, 0.7f, 1, NAN}), 1e-7);
  ExpectTensor(OpTest("HardSigmoid", 22)
                   .Attr("alpha", 0.5f)
                   .Attr("beta", 0.25f)
                   .Input(Tensor::Of<double>({3}, {-1, 0.5, 2}))
                   .Run(),
               Tensor::Of<double>({3}, {0, 0.5, 1}));
}

}  // namespace
}  // namespace onnxcmp::testing
