#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

// The buckets of T5's formula.
TEST(ContribRelativePositionBiasTest, KeysBeforeTheQuery) {
  OpTest test("RelativePositionBias", 1, "com.microsoft");
  test.Attr("max_distance", 5).Attr("is_bidirectional", 0);
  test.Input(Pattern({8, 2}, 5, 17, 2.0f))
      .Input(Tensor::Of<int64_t>({1}, {7}))
      .Input(Tensor::Of<int64_t>({1}, {7}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {1, 2, 7, 7},
                   {-0.9411765f, -0.9411765f, -0.9411765f, -0.9411765f, -0.9411765f, -0.9411765f,
                    -0.9411765f, -0.3529412f, -0.9411765f, -0.9411765f, -0.9411765f, -0.9411765f,
                    -0.9411765f, -0.9411765f, 0.2352941f,  -0.3529412f, -0.9411765f, -0.9411765f,
                    -0.9411765f, -0.9411765f, -0.9411765f, 0.8235294f,  0.2352941f,  -0.3529412f,
                    -0.9411765f, -0.9411765f, -0.9411765f, -0.9411765f, -0.5882353f, 0.8235294f,
                    0.2352941f,  -0.3529412f, -0.9411765f, -0.9411765f, -0.9411765f, -0.8235294f,
                    -0.5882353f, 0.8235294f,  0.2352941f,  -0.3529412f, -0.9411765f, -0.9411765f,
                    -0.8235294f, -0.8235294f, -0.5882353f, 0.8235294f,  0.2352941f,  -0.3529412f,
                    -0.9411765f, -0.2352941f, -0.2352941f, -0.2352941f, -0.2352941f, -0.2352941f,
                    -0.2352941f, -0.2352941f, 0.3529412f,  -0.2352941f, -0.2352941f, -0.2352941f,
                    -0.2352941f, -0.2352941f, -0.2352941f, 0.9411765f,  0.3529412f,  -0.2352941f,
                    -0.2352941f, -0.2352941f, -0.2352941f, -0.2352941f, -0.4705882f, 0.9411765f,
                    0.3529412f,  -0.2352941f, -0.2352941f, -0.2352941f, -0.2352941f, 0.1176471f,
                    -0.4705882f, 0.9411765f,  0.3529412f,  -0.2352941f, -0.2352941f, -0.2352941f,
                    -0.1176471f, 0.1176471f,  -0.4705882f, 0.9411765f,  0.3529412f,  -0.2352941f,
                    -0.2352941f, -0.1176471f, -0.1176471f, 0.1176471f,  -0.4705882f, 0.9411765f,
                    0.3529412f,  -0.2352941f}),
               1e-6, 0);
}

TEST(ContribRelativePositionBiasTest, KeysOnBothSides) {
  OpTest test("RelativePositionBias", 1, "com.microsoft");
  test.Attr("max_distance", 5).Attr("is_bidirectional", 1);
  test.Input(Pattern({8, 2}, 5, 17, 2.0f))
      .Input(Tensor::Of<int64_t>({1}, {7}))
      .Input(Tensor::Of<int64_t>({1}, {7}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {1, 2, 7, 7},
                   {-0.9411765f, 0,           0.5882353f,  0.5882353f,  -0.8235294f, -0.8235294f,
                    -0.8235294f, -0.3529412f, -0.9411765f, 0,           0.5882353f,  0.5882353f,
                    -0.8235294f, -0.8235294f, 0.2352941f,  -0.3529412f, -0.9411765f, 0,
                    0.5882353f,  0.5882353f,  -0.8235294f, 0.2352941f,  0.2352941f,  -0.3529412f,
                    -0.9411765f, 0,           0.5882353f,  0.5882353f,  0.8235294f,  0.2352941f,
                    0.2352941f,  -0.3529412f, -0.9411765f, 0,           0.5882353f,  0.8235294f,
                    0.8235294f,  0.2352941f,  0.2352941f,  -0.3529412f, -0.9411765f, 0,
                    0.8235294f,  0.8235294f,  0.8235294f,  0.2352941f,  0.2352941f,  -0.3529412f,
                    -0.9411765f, -0.2352941f, 0.7058824f,  -0.7058824f, -0.7058824f, -0.1176471f,
                    -0.1176471f, -0.1176471f, 0.3529412f,  -0.2352941f, 0.7058824f,  -0.7058824f,
                    -0.7058824f, -0.1176471f, -0.1176471f, 0.9411765f,  0.3529412f,  -0.2352941f,
                    0.7058824f,  -0.7058824f, -0.7058824f, -0.1176471f, 0.9411765f,  0.9411765f,
                    0.3529412f,  -0.2352941f, 0.7058824f,  -0.7058824f, -0.7058824f, -0.4705882f,
                    0.9411765f,  0.9411765f,  0.3529412f,  -0.2352941f, 0.7058824f,  -0.7058824f,
                    -0.4705882f, -0.4705882f, 0.9411765f,  0.9411765f,  0.3529412f,  -0.2352941f,
                    0.7058824f,  -0.4705882f, -0.4705882f, -0.4705882f, 0.9411765f,  0.9411765f,
                    0.3529412f,  -0.2352941f}),
               1e-6, 0);
}

TEST(ContribRelativePositionBiasTest, RefusesWhatDoesNotFit) {
  const auto bias = [](int buckets, int max_distance, int64_t queries, int64_t keys) {
    OpTest test("RelativePositionBias", 1, "com.microsoft");
    test.Attr("max_distance", max_distance).Input(Iota({buckets, 1}));
    test.Input(Ints({queries})).Input(Ints({keys}));
    return test.Run().status();
  };
  EXPECT_TRUE(bias(4, 3, 0, 0).ok());
  ExpectError(bias(4, 3, 2, 3), kInvalid, "query_length 2 and key_length 3");
  ExpectError(bias(4, 3, -1, -1), kInvalid, "query_length -1");
  ExpectError(bias(1, 3, 1, 1), kInvalid, "1 buckets");
  ExpectError(bias(4, 2, 1, 1), kInvalid, "max_distance 2");
}

}  // namespace
}  // namespace onnxcmp::testing
