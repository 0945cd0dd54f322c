// Expected values are the formula's on numbers that make it exact, or NumPy's.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/block_quantized/n_bits_weights.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// K = 16, N = 2, rank 1: W is (1, -1) in all columns, lora_A 2 in all, lora_B (3, 5); scale 1.
OpTest Qlora(const Tensor& down, const Tensor& up, DType dtype = DType::kFloat) {
  OpTest test("MatMulNBitsQLoRA", 1, "com.microsoft");
  test.Attr("N", 2).Attr("K", 16).Attr("block_size", 16).Attr("lora_block_size", 16);
  const auto as = [&](const Tensor& x) { return Convert(x, dtype); };
  test.Input(as(UnitRow(16, 3))).Input(FourBits({{9, 9}, {7, 7}}));
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

}  // namespace
}  // namespace onnxcmp::testing
