#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribLongformerAttentionTest, WindowsAndGlobalTokens) {
  OpTest test("LongformerAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("window", 1);
  test.Input(Pattern({2, 4, 4}, 7, 23, 3.0f))
      .Input(Pattern({4, 12}, 5, 19, 2.0f))
      .Input(Pattern({12}, 3, 7))
      .Input(Pattern({2, 4}, 3, 5, 4.0f))
      .Input(Pattern({4, 12}, 11, 29, 2.0f))
      .Input(Pattern({12}, 5, 9))
      .Input(Tensor::Of<int32_t>({2, 4}, {1, 0, 0, 0, 0, 0, 1, 0}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {2, 4, 4},
                   {-0.3401538f,  0.6570006f,   0.3927163f,   -0.7645302f, 0.2160973f,  0.2813083f,
                    1.437416f,    -0.8079147f,  -0.5769693f,  0.3352825f,  0.2896437f,  -0.2746433f,
                    -0.8395177f,  0.3670547f,   -0.03551544f, -0.1160466f, -0.1336515f, 0.6034129f,
                    0.8214578f,   -0.06198207f, -0.07026377f, 0.5400252f,  1.729627f,   -0.9896578f,
                    -0.02373318f, -0.6351558f,  0.4583961f,   -0.6121623f, -0.1666816f, 0.4210052f,
                    0.9787331f,   -0.5979843f}),
               1e-5, 1e-6);
}

TEST(ContribLongformerAttentionTest, RefusesASequenceThatIsNoMultipleOfTheWindow) {
  OpTest test("LongformerAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("window", 2).Input(Iota({1, 6, 1})).Input(Iota({1, 3}));
  test.Input(Iota({3})).Input(Iota({1, 6})).Input(Iota({1, 3})).Input(Iota({3}));
  test.Input(Tensor::Of<int32_t>({1, 6}, {0, 0, 0, 0, 0, 0}));
  ExpectError(test.Run().status(), kInvalid, "a multiple of 4");
}

}  // namespace
}  // namespace onnxcmp::testing
