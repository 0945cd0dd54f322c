// Expected values are the formula's on numbers that make it exact, or NumPy's.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/block_quantized/n_bits_weights.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest NBits(int64_t n, int64_t k, int bits = 4) {
  OpTest test("MatMulNBits", 1, "com.microsoft");
  return test.Attr("N", n).Attr("K", k).Attr("bits", bits).Attr("block_size", 16);
}

TEST(MatMulNBits, WithoutWeightsTheProductIsZero) {
  const Tensor nothing = Tensor::Of<uint8_t>({2, 0, 8}, {});
  OpTest test = NBits(2, 16).Input(UnitRow(16, 0)).Input(nothing).Input(Floats({}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2}, {0, 0}));
  test.NoInput().NoInput().Input(Floats({3, 4}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2}, {3, 4}));
  ExpectError(NBits(2, 16)
                  .Input(UnitRow(16, 0))
                  .Input(Tensor::Of<uint8_t>({3, 0, 8}, {}))
                  .Input(Floats({}))
                  .Run()
                  .status(),
              kInvalid, "B is uint8[3,0,8]");
}

TEST(MatMulNBits, TakesTheLowBitsFirst) {
  const Tensor b = FourBits({{9, 3}, {0, 15}});
  const Tensor scales = Tensor::Of<float>({2, 1}, {0.5f, 2});
  ExpectTensor(NBits(2, 16).Input(UnitRow(16, 0)).Input(b).Input(scales).Run(),
               Tensor::Of<float>({1, 2}, {0.5f, -16}));
  ExpectTensor(NBits(2, 16).Input(UnitRow(16, 15)).Input(b).Input(scales).Run(),
               Tensor::Of<float>({1, 2}, {-2.5f, 14}));
  // 0xE4 holds 0, 1, 2, 3.
  const Tensor two = Tensor::Of<uint8_t>({1, 1, 4}, {0xE4, 0xE4, 0xE4, 0xE4});
  ExpectTensor(NBits(1, 16, 2).Input(UnitRow(16, 7)).Input(two).Input(Floats({3})).Run(),
               Tensor::Of<float>({1, 1}, {3}));
}

TEST(MatMulNBits, EveryBlockHasAScaleAndAZeroPoint) {
  // 20 columns in two blocks, of which the second is padded; zero points 1 and 2, 3 and 4.
  const Tensor b = FourBits({{5, 5}, {7, 7}}, 2);
  const Tensor scales = Floats({1, 10, 100, 1000});
  const Tensor zeros = Tensor::Of<uint8_t>({2, 1}, {0x21, 0x43});
  const auto run = [&](int64_t column, const Tensor& zero_points) {
    return NBits(2, 20).Input(UnitRow(20, column)).Input(b).Input(scales).Input(zero_points).Run();
  };
  ExpectTensor(run(3, zeros), Tensor::Of<float>({1, 2}, {4, 400}));
  ExpectTensor(run(19, zeros), Tensor::Of<float>({1, 2}, {30, 3000}));
  const Tensor floats = Tensor::Of<float>({2, 2}, {0.5f, 1, 1.5f, 2});
  ExpectTensor(run(3, floats), Tensor::Of<float>({1, 2}, {4.5f, 550}));
  ExpectTensor(run(19, floats), Tensor::Of<float>({1, 2}, {40, 5000}));
}

TEST(MatMulNBits, GroupsNameTheBlocksOfColumns) {
  std::vector<int32_t> groups(32, 1);
  groups[31] = 0;
  const auto run = [&](int64_t column, const std::vector<int32_t>& index) {
    return NBits(1, 32)
        .Input(UnitRow(32, column))
        .Input(FourBits({{9, 9}}, 2))
        .Input(Floats({3, 5}))
        .Input(Tensor::Of<uint8_t>({1, 1}, {0}))  // has no effect
        .Input(Tensor::Of<int32_t>({32}, index))
        .Run();
  };
  ExpectTensor(run(0, groups), Tensor::Of<float>({1, 1}, {5}));
  ExpectTensor(run(31, groups), Tensor::Of<float>({1, 1}, {3}));
  groups[4] = 2;
  ExpectError(run(0, groups).status(), kInvalid, "names block 2 of 2");
}

// More rows, columns and depth than a panel of the product has; 8 bits; a bias.
TEST(MatMulNBits, LargeProductsAddTheBiasAndAgreeWithSingleRows) {
  constexpr int64_t kRows = 9, kOutputs = 35, kInputs = 600;
  std::vector<uint8_t> codes(kOutputs * 608);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i * 37 % 256);
  const Tensor b = Tensor::Of<uint8_t>({kOutputs, 38, 16}, codes);
  std::vector<float> ones(kOutputs * 38, 1.0f);
  std::vector<float> a(kRows * kInputs);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 5) - 2;
  std::vector<float> want;
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t n = 0; n < kOutputs; ++n) {
      float sum = static_cast<float>(n);
      for (size_t k = 0; k < kInputs; ++k) {
        sum += a[i * kInputs + k] * (static_cast<float>(codes[n * 608 + k]) - 128);
      }
      want.push_back(sum);
    }
  }
  std::vector<float> bias;
  for (int64_t n = 0; n < kOutputs; ++n) bias.push_back(static_cast<float>(n));
  const auto run = [&](const Tensor& rows, int threads) {
    OpTest test = NBits(kOutputs, kInputs, 8).Threads(threads);
    return test.Input(rows).Input(b).Input(Floats(ones)).NoInput().NoInput().Input(Floats(bias));
  };
  const Tensor all = Tensor::Of<float>({3, 3, kInputs}, a);
  ExpectTensor(run(all, 2).Run(), Tensor::Of<float>({3, 3, kOutputs}, want));
  const std::vector<float> first(a.begin(), a.begin() + kInputs);
  ExpectTensor(run(Floats(first), 1).Run(),
               Floats(std::vector<float>(want.begin(), want.begin() + kOutputs)));
  bias.pop_back();
  ExpectError(run(all, 1).Run().status(), kInvalid, "bias is float[34]");
}

TEST(MatMulNBits, NarrowFloatsAreRoundedOnce) {
  // 2048 + 1 + 1: rounded in between it would be 2048.
  const auto run = [](DType dtype) {
    std::vector<float> a(16);
    a[0] = 2048;
    a[1] = 1;
    OpTest test = NBits(1, 16).Input(Convert(Floats(a), dtype)).Input(FourBits({{9, 9}}));
    test.Input(Convert(Floats({1}), dtype)).NoInput().NoInput();
    return test.Input(Convert(Floats({1}), dtype)).Run();
  };
  ExpectTensor(run(DType::kFloat16), Convert(Floats({2050}), DType::kFloat16));
  ExpectTensor(run(DType::kDouble), Convert(Floats({2050}), DType::kDouble));
}

TEST(MatMulNBits, NoRows) {
  ExpectTensor(NBits(1, 16).Input(Iota({0, 16})).Input(FourBits({{1, 1}})).Input(Floats({1})).Run(),
               Iota({0, 1}));
}

TEST(MatMulNBits, RefusesWhatDoesNotFit) {
  const auto run = [](OpTest test) {
    return test.Input(Iota({1, 16})).Input(FourBits({{1, 1}})).Input(Floats({1})).Run().status();
  };
  ExpectError(run(NBits(1, 16, 3)), kInvalid, "bits is 3");
  ExpectError(run(NBits(1, 16).Attr("block_size", 24)), kInvalid, "block_size is 24");
  ExpectError(run(NBits(1, 16).Attr("accuracy_level", 5)), kInvalid, "accuracy_level is 5");
  ExpectError(run(NBits(1, 16).Attr("weight_prepacked", 1)), kUnimplemented, "weight_prepacked");
  ExpectError(run(NBits(1, 32)), kInvalid, "K is 32");
  ExpectError(run(NBits(2, 16)), kInvalid, "B is uint8[1,1,8]");
  ExpectError(run(NBits(INT64_MAX, 16)), kInvalid, "B is uint8");
  ExpectError(run(NBits(-1, 16)), kInvalid, "B is uint8");
  ExpectError(run(NBits(1, 0)), kInvalid, "K is 0");
}

}  // namespace
}  // namespace onnxcmp::testing
