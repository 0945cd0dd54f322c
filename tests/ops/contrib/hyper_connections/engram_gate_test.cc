// Cases that the golden ones (onnxruntime's results) leave open, errors above all.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Orthogonal keys and queries open the gate by half.
TEST(EngramGate, DotOfZero) {
  OpTest test = Contrib("EngramGate");
  test.Input(Tensor::Of<double>({1, 1, 1, 2}, {1, 0}))
      .Input(Tensor::Of<double>({1, 1, 1, 2}, {0, 1}));
  test.Input(Tensor::Of<double>({1, 1, 2}, {3, 5}));
  test.Input(Tensor::Of<double>({1, 2}, {1, 1})).Input(Tensor::Of<double>({1, 2}, {1, 1}));
  ExpectTensor(test.Run(), Tensor::Of<double>({1, 1, 1, 2}, {1.5, 2.5}));
}

TEST(EngramGate, BadInputs) {
  const auto test = [](const Shape& value) {
    OpTest engram = Contrib("EngramGate");
    engram.Input(Iota({1, 2, 3, 4})).Input(Iota({1, 2, 3, 4})).Input(Iota(value));
    engram.Input(Iota({3, 4})).Input(Iota({3, 4}));
    return engram;
  };
  ExpectError(test({1, 2, 3, 4}).Run().status(), kInvalid,
              "input 2 has shape [1x2x3x4], not [1x2x4]");
  ExpectError(test({1, 2, 4}).Outputs(2).Run().status(), kInvalid,
              "needs the input conv_norm_scale");
}

}  // namespace
}  // namespace onnxcmp::testing
