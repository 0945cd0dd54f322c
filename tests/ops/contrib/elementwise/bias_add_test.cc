// Expected values: the definition in NumPy, in double; no processor kernel of onnxruntime has it.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(BiasAdd, AddsAndRoundsOnce) {
  const Tensor x = Tensor::Of<float>({1, 2, 2}, {1, 2, 3, 4});
  const Tensor skip = AsStridedView(Tensor::Of<float>({1, 2, 2}, {10, 20, 30, 40}));
  ExpectTensor(Contrib("BiasAdd").Input(x).Input(Floats({0.5f, -0.5f})).Input(skip).Run(),
               Tensor::Of<float>({1, 2, 2}, {11.5f, 21.5f, 33.5f, 43.5f}));
  // 2048 + 1 is no float16, 2048 + 1 + 1 is.
  const auto half = [](float value) {
    return Convert(Tensor::Of<float>({1, 1, 1}, {value}), DType::kFloat16);
  };
  ExpectTensor(Contrib("BiasAdd")
                   .Input(half(2048))
                   .Input(Convert(Floats({1}), DType::kFloat16))
                   .Input(half(1))
                   .Run(),
               half(2050));
}

TEST(BiasAdd, BadInputs) {
  const auto run = [](const Shape& x, const Shape& bias, const Shape& skip) {
    return Contrib("BiasAdd").Input(Iota(x)).Input(Iota(bias)).Input(Iota(skip)).Run().status();
  };
  ExpectError(run({2, 2}, {2}, {2, 2}), kInvalid, "X has rank 2, not 3");
  ExpectError(run({1, 2, 2}, {1}, {1, 2, 2}), kInvalid, "the bias must be a vector");
  ExpectError(run({1, 2, 2}, {2}, {1, 1, 2}), kInvalid, "skip is [1x1x2], but X [1x2x2]");
}

}  // namespace
}  // namespace onnxcmp::testing
