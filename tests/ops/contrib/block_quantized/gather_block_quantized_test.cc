// Expected values are the formula's.
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Gather(const Tensor& data, const Tensor& indices, const Tensor& scales) {
  OpTest test("GatherBlockQuantized", 1, "com.microsoft");
  return test.Attr("block_size", 16).Input(data).Input(indices).Input(scales);
}

// Rows of 20 columns: row r holds r + 1, and scales of 1 and 10 for its two blocks.
Tensor Table(DType dtype) {
  std::vector<float> values;
  for (int i = 0; i < 60; ++i) values.push_back(static_cast<float>(i / 20 + 1));
  return Convert(Tensor::Of<float>({3, 20}, values), dtype);
}
Tensor Scales() { return Tensor::Of<float>({3, 2}, {1, 10, 1, 10, 1, 10}); }
// 16 times `first`, four times `second`.
std::vector<float> Blocks(const std::vector<std::pair<float, float>>& rows) {
  std::vector<float> values;
  for (const auto& [first, second] : rows) {
    values.insert(values.end(), 16, first);
    values.insert(values.end(), 4, second);
  }
  return values;
}

TEST(GatherBlockQuantized, IndicesCountFromTheBackOrGiveZeros) {
  const auto run = [](const Tensor& indices) {
    return Gather(Table(DType::kUint4), indices, Scales()).Run();
  };
  ExpectTensor(run(Tensor::Of<int32_t>({2, 2}, {2, -3, 3, -4})),
               Tensor::Of<float>({2, 2, 20}, Blocks({{3, 30}, {1, 10}, {0, 0}, {0, 0}})));
  ExpectTensor(run(Tensor::Scalar<int64_t>(1)), Floats(Blocks({{2, 20}})));
  ExpectTensor(run(Ints({})), Iota({0, 20}));
  ExpectTensor(Gather(Convert(Iota({0, 20}), DType::kInt4), Ints({0}), Iota({0, 2})).Run(),
               Tensor::Of<float>({1, 20}, Blocks({{0, 0}})));
}

TEST(GatherBlockQuantized, SubtractsZeroPoints) {
  const Tensor zeros = Convert(Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), DType::kInt4);
  ExpectTensor(Gather(Table(DType::kInt4), Ints({1}), Scales()).Input(zeros).Run(),
               Tensor::Of<float>({1, 20}, Blocks({{-1, -20}})));
  // Along the gathered axis too: rows 0 and 17 are of blocks 0 and 1.
  std::vector<float> values(18, 7);
  OpTest test = Gather(Convert(Tensor::Of<float>({18, 1}, values), DType::kInt4), Ints({17, 0}),
                       Tensor::Of<float>({2, 1}, {1, 2}));
  test.Input(Convert(Tensor::Of<float>({2, 1}, {3, 4}), DType::kInt4));
  ExpectTensor(test.Attr("quantize_axis", 0).Run(), Tensor::Of<float>({2, 1}, {6, 4}));
  ExpectTensor(Gather(Table(DType::kInt4), Ints({17, 0}), Scales()).Attr("gather_axis", 1).Run(),
               Tensor::Of<float>({3, 2}, {10, 1, 20, 2, 30, 3}));
}

TEST(GatherBlockQuantized, UnpacksBytes) {
  // Two rows of 32 codes of two bits: 0, 1, 2, 3 again and again, and 3 always; zero points 1 and 0
  // for the first row, 2 and 3 for the second.
  std::vector<uint8_t> bytes(8, 0xE4);
  bytes.insert(bytes.end(), 8, 0xFF);
  const Tensor data = Tensor::Of<uint8_t>({2, 8}, bytes);
  const Tensor scales = Tensor::Of<float>({2, 2}, {1, 1, 2, 2});
  const auto row = [](std::vector<float> first, std::vector<float> second) {
    std::vector<float> values;
    for (int i = 0; i < 4; ++i) values.insert(values.end(), first.begin(), first.end());
    for (int i = 0; i < 4; ++i) values.insert(values.end(), second.begin(), second.end());
    return Tensor::Of<float>({1, 32}, values);
  };
  OpTest test = Gather(data, Ints({0}), scales).Attr("bits", 2);
  ExpectTensor(test.Run(), row({-2, -1, 0, 1}, {-2, -1, 0, 1}));
  test.Input(Tensor::Of<uint8_t>({2, 1}, {0x01, 0x0E}));
  ExpectTensor(test.Run(), row({-1, 0, 1, 2}, {0, 1, 2, 3}));
  ExpectTensor(Gather(data, Ints({1}), scales)
                   .Attr("bits", 2)
                   .Input(Tensor::Of<uint8_t>({2, 1}, {0x01, 0x0E}))
                   .Run(),
               row({2, 2, 2, 2}, {0, 0, 0, 0}));
}

TEST(GatherBlockQuantized, ScalesOfFloatsRepeat) {
  OpTest test = Gather(Table(DType::kFloat8E5M2), Ints({2, 0}), Tensor::Of<float>({1, 1}, {0.5f}));
  ExpectTensor(test.Attr("block_size", 0).Run(),
               Tensor::Of<float>({2, 20}, Blocks({{1.5f, 1.5f}, {0.5f, 0.5f}})));
  ExpectTensor(
      Gather(Table(DType::kFloat4E2M1), Ints({1}), Tensor::Of<float>({1, 2}, {1, 3})).Run(),
      Tensor::Of<float>({1, 20}, Blocks({{2, 6}})));
}

TEST(GatherBlockQuantized, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.Run().status(); };
  const Tensor uint4 = Table(DType::kUint4);
  ExpectError(status(Gather(uint4, Ints({0}), Scales()).Attr("block_size", 0)), kInvalid,
              "block_size is 0");
  ExpectError(status(Gather(uint4, Ints({0}), Iota({3, 1}))), kInvalid, "scales are float[3,1]");
  ExpectError(status(Gather(uint4, Ints({0}), Scales()).Attr("gather_axis", 2)), kInvalid,
              "out of range for rank 2");
  ExpectError(status(Gather(uint4, Ints({0}), Scales()).Attr("bits", 8)), kInvalid, "bits is 8");
  ExpectError(status(Gather(Table(DType::kUint8), Ints({0}), Scales()).Attr("gather_axis", 1)),
              kInvalid, "must be gathered along its first axis");
  ExpectError(
      status(
          Gather(Table(DType::kFloat8E5M2), Ints({0}), Scales()).Input(Table(DType::kFloat8E5M2))),
      kInvalid, "zero points of floats");
}

}  // namespace
}  // namespace onnxcmp::testing
