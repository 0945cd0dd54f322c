// Expected values are the formula's, rounded by hand.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// 3 x 6 weights in blocks of 16: row 0 begins with codes 3 and 4, the last block has two elements.
OpTest Bnb4(int type) {
  OpTest test = Contrib("MatMulBnb4");
  return test.Attr("N", 3).Attr("K", 6).Attr("block_size", 16).Attr("quant_type", type);
}

Tensor Codes() { return Tensor::Of<uint8_t>({9}, {0x34, 0, 0, 0, 0, 0, 0, 0, 0xF7}); }

TEST(MatMulBnb4, TheFirstCodeIsInTheHighBits) {
  const auto run = [](int type, std::vector<float> a) {
    return Bnb4(type).Input(Floats(a)).Input(Codes()).Input(Floats({2, 3})).Run();
  };
  ExpectTensor(run(0, {1, 0, 0, 0, 0, 0}), Floats({2, 0, 0}));
  ExpectTensor(run(0, {0, 1, 0, 0, 0, 0}), Floats({2.0f / 3, 0, 0}), 1e-6);
  // The last two elements are of the second block.
  ExpectTensor(run(0, {0, 0, 0, 0, 1, 4}), Floats({0, 0, -0.75f + 3}), 1e-6);
  ExpectTensor(run(1, {1, 0, 0, 0, 0, 0}), Floats({-0.789834976f, -2, -2}), 1e-6);
  ExpectTensor(run(1, {0, 0, 0, 0, 1, 4}), Floats({-10, -10, 3}), 1e-6);
}

TEST(MatMulBnb4, MultipliesUntransposedAndInOtherTypes) {
  ExpectTensor(
      Bnb4(0).Attr("transB", 0).Input(Floats({1, 0, 4})).Input(Codes()).Input(Floats({2, 3})).Run(),
      Floats({2, 2.0f / 3, 0, 0, -3, 3}), 1e-6);
  ExpectTensor(Bnb4(0)
                   .Input(AsHalf(Floats({1, 0, 0, 0, 0, 0})))
                   .Input(Codes())
                   .Input(AsHalf(Floats({2, 3})))
                   .Run(),
               AsHalf(Floats({2, 0, 0})));
}

TEST(MatMulBnb4, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) {
    return test.Input(Iota({6})).Input(Codes()).Input(Floats({2, 3})).Run().status();
  };
  ExpectError(status(Bnb4(2)), kInvalid, "quant_type is 2");
  ExpectError(status(Bnb4(0).Attr("block_size", 8)), kInvalid, "block_size is 8");
  ExpectError(status(Bnb4(0).Attr("N", 0)), kInvalid, "N is 0");
  ExpectError(status(Bnb4(0).Attr("N", INT64_MAX)), kInvalid, "N is 9223372036854775807");
  ExpectError(status(Bnb4(0).Attr("N", 5)), kInvalid, "need 15");
  ExpectError(status(Bnb4(0).Attr("block_size", int64_t{1} << 62)), kInvalid, "need 1");
}

}  // namespace
}  // namespace onnxcmp::testing
