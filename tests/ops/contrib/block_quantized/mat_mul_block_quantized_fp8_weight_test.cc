// Expected values are the formula's, rounded by hand.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MatMulBlockQuantizedFp8Weight, QuantizesActivationsWithAScale) {
  const auto run = [](bool quantize) {
    OpTest test = Contrib("MatMulBlockQuantizedFp8Weight").Attr("block_size", 2);
    test.Input(AsHalf(Tensor::Of<float>({1, 3}, {1000, 2, 4.125f})));
    test.Input(Convert(Tensor::Of<float>({1, 3}, {1, 2, 3}), DType::kFloat8E4M3FN));
    test.Input(OneRow(1, 2));
    if (quantize) {
      test.Input(Floats({0.5f}));
    } else {
      test.NoInput();
    }
    return test.Input(AsHalf(Floats({1}))).Run();
  };
  ExpectTensor(run(false),
               AsHalf(Tensor::Of<float>({1, 1}, {1030})));  // 1000 + 4 + 24.75 + 1, rounded
  // 2000 saturates to 448, 8.25 becomes 8: 224 + 4 + 24 + 1.
  ExpectTensor(run(true), AsHalf(Tensor::Of<float>({1, 1}, {253})));
}

}  // namespace
}  // namespace onnxcmp::testing
