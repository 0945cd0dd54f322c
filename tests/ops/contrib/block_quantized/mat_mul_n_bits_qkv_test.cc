// Expected values are the formula's on numbers that make it exact, or NumPy's.
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/block_quantized/n_bits_weights.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MatMulNBitsQkv, ProjectsTheNormalizedRow) {
  OpTest test("MatMulNBitsQkv", 1, "com.microsoft");
  test.Attr("Nq", 2).Attr("Nkv", 1).Attr("K", 16).Attr("block_size", 16).Attr("epsilon", 1e-5f);
  const Tensor skip = Tensor::Of<float>({1, 16}, std::vector<float>(16, 0.25f));
  test.Outputs(4).Input(RampRow()).Input(skip).Input(Floats(std::vector<float>(16, 1)));
  test.Input(FourBits({{9, 9}, {7, 7}})).Input(Floats({1, 1})).NoInput();
  test.Input(FourBits({{10, 10}})).Input(Floats({1})).Input(Floats({1}));
  test.Input(FourBits({{9, 9}})).Input(Floats({0})).NoInput();
  constexpr float kSum = 4.9507545679709075f;
  ExpectOutputs(test,
                {Tensor::Of<float>({1, 2}, {kSum, -kSum}),
                 Tensor::Of<float>({1, 1}, {2 * kSum + 1}), Tensor::Of<float>({1, 1}, {0})},
                1e-6);
}

}  // namespace
}  // namespace onnxcmp::testing
