// Expected values: the definition in NumPy, in double; no processor kernel of onnxruntime has it.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest BiasSoftmax(int is_inner_broadcast, int axis, const Shape& bias) {
  OpTest test = Contrib("BiasSoftmax");
  test.Attr("axis", axis).Attr("is_inner_broadcast", is_inner_broadcast);
  test.Input(AsStridedView(Pattern({2, 2, 2}, 3, 7, 4)));
  test.Input(AsStridedView(Pattern(bias, 2, 5, 3)));
  return test;
}

TEST(BiasSoftmax, InnerRowsShareABias) {
  ExpectTensor(BiasSoftmax(1, -1, {2, 1, 2}).Run(),
               Tensor::Of<float>({2, 2, 2}, {0.05145187f, 0.9485481f, 0.7475738f, 0.2524262f,
                                             0.9834668f, 0.01653318f, 0.9834668f, 0.01653318f}),
               1e-6);
}

TEST(BiasSoftmax, OuterRowsShareABias) {
  ExpectTensor(BiasSoftmax(0, 2, {1, 2, 2}).Run(),
               Tensor::Of<float>({2, 2, 2}, {0.05145187f, 0.9485481f, 0.9834668f, 0.01653318f,
                                             0.7475738f, 0.2524262f, 0.9834668f, 0.01653318f}),
               1e-6);
}

TEST(BiasSoftmax, RowsOverSeveralAxes) {
  ExpectTensor(BiasSoftmax(0, 1, {1, 2, 2}).Run(),
               Tensor::Of<float>({2, 2, 2}, {0.00273956f, 0.05050554f, 0.931102f, 0.01565287f,
                                             0.1304241f, 0.04403905f, 0.8118881f, 0.01364875f}),
               2e-6);
}

TEST(BiasSoftmax, BadInputs) {
  ExpectError(BiasSoftmax(0, 2, {1, 3, 2}).Run().status(), kInvalid, "does not repeat over 4 rows");
  ExpectError(BiasSoftmax(0, 2, {1}).Run().status(), kInvalid, "does not repeat");
  ExpectError(BiasSoftmax(0, 4, {1, 2, 2}).Run().status(), kInvalid, "axis 4 is out of range");
}

}  // namespace
}  // namespace onnxcmp::testing
