#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribGatedRelativePositionBiasTest, Gates) {
  OpTest test("GatedRelativePositionBias", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({2, 3, 4}, 7, 23, 3.0f))
      .Input(Pattern({4}, 3, 7))
      .Input(Pattern({1, 2, 3, 3}, 5, 19, 2.0f))
      .Input(Pattern({2, 4}, 3, 17, 2.0f))
      .Input(Pattern({4}, 5, 9))
      .Input(Pattern({1, 2, 1, 1}, 3, 5, 2.0f));
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {2, 2, 3, 3},
                   {-0.628063f,  -0.2791391f, 0.06978478f, 0.5315614f,  -0.7087485f, -0.2657807f,
                    0.2121631f,  0.7425708f,  -0.7425708f, -0.3263904f, 0.4895855f,  1.305561f,
                    -1.256202f,  -0.2093669f, 0.8374677f,  1.492651f,   -0.8292503f, 0,
                    -1.0641f,    -0.4729333f, 0.1182333f,  1.197517f,   -1.59669f,   -0.5987587f,
                    0.1541083f,  0.5393791f,  -0.5393791f, -0.3273734f, 0.4910601f,  1.309494f,
                    -0.9764257f, -0.1627376f, 0.6509505f,  1.883851f,   -1.046584f,  0}),
               1e-5, 1e-6);
}

TEST(ContribGatedRelativePositionBiasTest, RestoresPadding) {
  OpTest test("GatedRelativePositionBias", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({4, 4}, 7, 23, 3.0f))
      .Input(Pattern({4}, 3, 7))
      .Input(Pattern({1, 2, 3, 3}, 5, 19, 2.0f))
      .Input(Pattern({2, 4}, 3, 17, 2.0f))
      .Input(Pattern({4}, 5, 9))
      .Input(Pattern({1, 2, 1, 1}, 3, 5, 2.0f))
      .Input(Tensor::Of<int32_t>({2, 3}, {0, 3, 4, 5, 1, 2}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {2, 2, 3, 3},
                   {-0.628063f,  -0.2791391f, 0.06978478f, 0.7548984f,  -1.006531f,  -0.3774492f,
                    0.2516328f,  0.8807149f,  -0.8807149f, -0.3263904f, 0.4895855f,  1.305561f,
                    -1.144167f,  -0.1906945f, 0.7627779f,  1.71625f,    -0.9534724f, 0,
                    -0.7973421f, -0.3543743f, 0.08859357f, 0.6364893f,  -0.8486524f, -0.3182446f,
                    0.2364667f,  0.8276333f,  -0.8276333f, -0.4187339f, 0.6281008f,  1.674935f,
                    -0.9951003f, -0.1658501f, 0.6634002f,  1.47318f,    -0.8184335f, 0}),
               1e-5, 1e-6);
}

TEST(ContribGatedRelativePositionBiasTest, RefusesPlacesOutsideOfTheBatch) {
  OpTest test("GatedRelativePositionBias", 1, "com.microsoft");
  test.Attr("num_heads", 1).Input(Iota({1, 2})).Input(Iota({2})).Input(Iota({1, 1, 1, 1}));
  test.Input(Iota({2, 2})).Input(Iota({2})).Input(Iota({1, 1, 1, 1}));
  test.Input(Tensor::Of<int32_t>({1, 1}, {1}));
  ExpectError(test.Run().status(), kInvalid, "token_offset 1 is outside of 1 places");
}

}  // namespace
}  // namespace onnxcmp::testing
