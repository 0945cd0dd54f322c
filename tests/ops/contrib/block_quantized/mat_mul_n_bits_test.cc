// MatMulNBits, MatMulNBitsMlp and MatMulNBitsQkv. Expected values are the formula's on numbers that
// make it exact, or NumPy's.
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Rows of 16 codes of four bits: all `low` in even columns, `high` in odd ones.
Tensor FourBits(const std::vector<std::pair<int, int>>& rows, int blocks = 1) {
  std::vector<uint8_t> bytes;
  for (const auto& [low, high] : rows) {
    bytes.insert(bytes.end(), static_cast<size_t>(8 * blocks),
                 static_cast<uint8_t>(low | high << 4));
  }
  return Tensor::Of<uint8_t>({static_cast<int64_t>(rows.size()), blocks, 8}, bytes);
}

OpTest NBits(int64_t n, int64_t k, int bits = 4) {
  OpTest test("MatMulNBits", 1, "com.microsoft");
  return test.Attr("N", n).Attr("K", k).Attr("bits", bits).Attr("block_size", 16);
}

// 1 in column `at`, else 0: what is multiplied is one column of the weights.
Tensor Unit(int64_t size, int64_t at) {
  std::vector<float> values(static_cast<size_t>(size));
  values[static_cast<size_t>(at)] = 1;
  return Tensor::Of<float>({1, size}, values);
}

// K = 16, N = 2, rank 1: W is (1, -1) in all columns, lora_A 2 in all, lora_B (3, 5); scale 1.
OpTest Qlora(const Tensor& down, const Tensor& up, DType dtype = DType::kFloat) {
  OpTest test("MatMulNBitsQLoRA", 1, "com.microsoft");
  test.Attr("N", 2).Attr("K", 16).Attr("block_size", 16).Attr("lora_block_size", 16);
  const auto as = [&](const Tensor& x) { return Convert(x, dtype); };
  test.Input(as(Unit(16, 3))).Input(FourBits({{9, 9}, {7, 7}}));
  test.Input(as(Tensor::Of<float>({2, 1}, {1, 1}))).Input(down);
  test.Input(as(Tensor::Of<float>({1, 1}, {1}))).Input(up);
  return test.Input(as(Tensor::Of<float>({2, 1}, {1, 256})));
}
Tensor Bytes(int64_t rows, const std::vector<uint8_t>& firsts) {
  std::vector<uint8_t> bytes;
  for (const uint8_t first : firsts) {
    bytes.push_back(first);
    bytes.insert(bytes.end(), 15, first);
  }
  return Tensor::Of<uint8_t>({rows, 1, 16}, bytes);
}

TEST(MatMulNBitsQLoRA, AddsTheAdapters) {
  const Tensor down = Bytes(1, {130});
  const Tensor up = Bytes(2, {131, 129});
  const auto row = [](float a, float b) { return Tensor::Of<float>({1, 2}, {a, b}); };
  ExpectTensor(Qlora(down, up).Run(), row(1 + 6, -1 + 512));
  ExpectTensor(Qlora(down, Tensor::Of<uint8_t>({2, 0, 16}, {})).Run(), row(1, -1));
  ExpectTensor(Qlora(Tensor::Of<uint8_t>({0, 1, 16}, {}), up).Run(), row(1, -1));
  // Adapters of 4 bits.
  ExpectTensor(Qlora(FourBits({{10, 10}}), FourBits({{11, 0}, {9, 0}})).Attr("lora_bits", 4).Run(),
               row(1 + 6, -1 + 512));
  // The sum of float16 is rounded after each term: 2 * 1280 - 1 is no float16.
  ExpectTensor(Qlora(Bytes(1, {138}), up, DType::kFloat16).Run(),
               Convert(row(31, 2560), DType::kFloat16));
}

TEST(MatMulNBitsQLoRA, RefusesWhatDoesNotFit) {
  const Tensor down = Bytes(1, {130});
  const Tensor up = Bytes(2, {131, 129});
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(Qlora(down, up).Attr("lora_bits", 3)), kInvalid, "bits is 3");
  ExpectError(status(Qlora(down, up).Attr("lora_block_size", 24)), kInvalid, "block_size is 24");
  ExpectError(status(Qlora(down, up).Attr("N", 0)), kInvalid, "N is 0");
  ExpectError(status(Qlora(down, down)), kInvalid,
              "B is uint8[1,1,16], but its shape must be [2x1x16]");
  ExpectError(status(Qlora(Bytes(2, {1, 1}), up)), kInvalid, "but its shape must be [1x1x16]");
}

TEST(MatMulNBits, WithoutWeightsTheProductIsZero) {
  const Tensor nothing = Tensor::Of<uint8_t>({2, 0, 8}, {});
  OpTest test = NBits(2, 16).Input(Unit(16, 0)).Input(nothing).Input(Floats({}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2}, {0, 0}));
  test.NoInput().NoInput().Input(Floats({3, 4}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2}, {3, 4}));
  ExpectError(NBits(2, 16)
                  .Input(Unit(16, 0))
                  .Input(Tensor::Of<uint8_t>({3, 0, 8}, {}))
                  .Input(Floats({}))
                  .Run()
                  .status(),
              kInvalid, "B is uint8[3,0,8]");
}

TEST(MatMulNBits, TakesTheLowBitsFirst) {
  const Tensor b = FourBits({{9, 3}, {0, 15}});
  const Tensor scales = Tensor::Of<float>({2, 1}, {0.5f, 2});
  ExpectTensor(NBits(2, 16).Input(Unit(16, 0)).Input(b).Input(scales).Run(),
               Tensor::Of<float>({1, 2}, {0.5f, -16}));
  ExpectTensor(NBits(2, 16).Input(Unit(16, 15)).Input(b).Input(scales).Run(),
               Tensor::Of<float>({1, 2}, {-2.5f, 14}));
  // 0xE4 holds 0, 1, 2, 3.
  const Tensor two = Tensor::Of<uint8_t>({1, 1, 4}, {0xE4, 0xE4, 0xE4, 0xE4});
  ExpectTensor(NBits(1, 16, 2).Input(Unit(16, 7)).Input(two).Input(Floats({3})).Run(),
               Tensor::Of<float>({1, 1}, {3}));
}

TEST(MatMulNBits, EveryBlockHasAScaleAndAZeroPoint) {
  // 20 columns in two blocks, of which the second is padded; zero points 1 and 2, 3 and 4.
  const Tensor b = FourBits({{5, 5}, {7, 7}}, 2);
  const Tensor scales = Floats({1, 10, 100, 1000});
  const Tensor zeros = Tensor::Of<uint8_t>({2, 1}, {0x21, 0x43});
  const auto run = [&](int64_t column, const Tensor& zero_points) {
    return NBits(2, 20).Input(Unit(20, column)).Input(b).Input(scales).Input(zero_points).Run();
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
        .Input(Unit(32, column))
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

// K = 16 and one output: weights of 1 but for the first three.
const Tensor& Ramp() {
  static const Tensor& ramp = *new Tensor(Pattern({1, 16}, 1, 16, 2.0f));  // -1, -0.875, ...
  return ramp;
}

OpTest Mlp() {
  OpTest test("MatMulNBitsMlp", 1, "com.microsoft");
  return test.Attr("N", 1).Attr("K", 16).Attr("block_size", 16).Attr("activation", "silu");
}

TEST(MatMulNBitsMlp, GatesTheUpperProjection) {
  // gate = sum(A) + 1 = 0 + ... : sum of -1, -0.875, ..., 0.875 is -1.
  ExpectTensor(Mlp()
                   .Input(Ramp())
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
  test.Input(Ramp()).Input(skip).Input(Floats(std::vector<float>(16, 2)));
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
    test.Input(Ramp());
    if (skip) {
      test.Input(Ramp());
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

TEST(MatMulNBitsQkv, ProjectsTheNormalizedRow) {
  OpTest test("MatMulNBitsQkv", 1, "com.microsoft");
  test.Attr("Nq", 2).Attr("Nkv", 1).Attr("K", 16).Attr("block_size", 16).Attr("epsilon", 1e-5f);
  const Tensor skip = Tensor::Of<float>({1, 16}, std::vector<float>(16, 0.25f));
  test.Outputs(4).Input(Ramp()).Input(skip).Input(Floats(std::vector<float>(16, 1)));
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
