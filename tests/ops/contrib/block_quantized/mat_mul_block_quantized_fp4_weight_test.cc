// Expected values are the formula's, rounded by hand.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MatMulBlockQuantizedFp4Weight, ScalesBlocksAndAll) {
  // Codes 2, 3 and 15 are 1, 1.5 and -6; bytes 0x38 and 0x40 are 1 and 2 in e4m3.
  const auto run = [](const Tensor& codes, const Tensor& scales) {
    OpTest test = Contrib("MatMulBlockQuantizedFp4Weight").Attr("block_size", 2);
    test.Input(AsHalf(Tensor::Of<float>({1, 4}, {1, 2, 4, 8}))).Input(codes).Input(scales);
    test.Input(Floats({3})).Input(Floats({100}));
    return test.Input(AsHalf(Floats({0.5f}))).Run();
  };
  const Tensor codes = Tensor::Of<uint8_t>({1, 2}, {0x32, 0xF2});
  // 3 * 1 * (1 + 3) + 3 * 2 * (4 - 48) + 0.5
  ExpectTensor(run(codes, Tensor::Of<uint8_t>({1, 2}, {0x38, 0x40})),
               AsHalf(Tensor::Of<float>({1, 1}, {-251.5f})));
  ExpectError(run(codes, Tensor::Of<uint8_t>({1, 1}, {0x38})).status(), kInvalid,
              "weight_scale is uint8[1,1]");
}

}  // namespace
}  // namespace onnxcmp::testing
