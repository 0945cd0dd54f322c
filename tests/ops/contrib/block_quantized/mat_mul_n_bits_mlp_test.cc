// Expected values are the formula's on numbers that make it exact, or NumPy's.
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/block_quantized/n_bits_weights.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Mlp() {
  OpTest test("MatMulNBitsMlp", 1, "com.microsoft");
  return test.Attr("N", 1).Attr("K", 16).Attr("block_size", 16).Attr("activation", "silu");
}

TEST(MatMulNBitsMlp, GatesTheUpperProjection) {
  // gate = sum(A) + 1 = 0 + ... : sum of -1, -0.875, ..., 0.875 is -1.
  ExpectTensor(Mlp()
                   .Input(RampRow())
                   .NoInput()
                   .NoInput()
                   .Input(FourBits({{9, 9}}))
                   .Input(Floats({1}))
                   .Input(Floats({4}))
                   .Input(FourBits({{10, 10}}))
                   .Input(Floats({1}))
                   .Input(Floats({3}))
                   .Run(),
               Tensor::Of<float>({1, 1}, {2.85772238f}), 1e-6);  // silu(3) * 1
}

TEST(MatMulNBitsMlp, NormalizesTheSumWithSkip) {
  // Sum of the normalized row: NumPy's, with skip = 0.25.
  const Tensor skip = Tensor::Of<float>({1, 16}, std::vector<float>(16, 0.25f));
  OpTest test = Mlp().Outputs(2);
  test.Input(RampRow()).Input(skip).Input(Floats(std::vector<float>(16, 2)));
  test.Input(FourBits({{8, 8}})).Input(Floats({1})).Input(Floats({3}));
  test.Input(FourBits({{9, 9}})).Input(Floats({1}));
  std::vector<float> sum;
  for (int i = 0; i < 16; ++i) sum.push_back(static_cast<float>(i) / 8 - 0.75f);
  ExpectOutputs(test,
                {Tensor::Of<float>({1, 1}, {2.85772238f * 2 * 4.9507545679709075f}),
                 Tensor::Of<float>({1, 16}, sum)},
                1e-6);
}

TEST(MatMulNBitsMlp, RefusesWhatItDoesNotKnow) {
  const auto run = [](OpTest test, bool skip) {
    test.Input(RampRow());
    if (skip) {
      test.Input(RampRow());
    } else {
      test.NoInput();
    }
    test.NoInput().Input(FourBits({{8, 8}})).Input(Floats({1})).NoInput();
    return test.Input(FourBits({{9, 9}})).Input(Floats({1})).Run().status();
  };
  ExpectError(run(Mlp().Attr("activation", "relu"), false), kInvalid, "\"relu\"");
  ExpectError(run(Mlp(), true), kInvalid, "without norm_scale");
  ExpectError(run(Mlp().Outputs(2), false), kInvalid, "skip is not given");
}

}  // namespace
}  // namespace onnxcmp::testing
