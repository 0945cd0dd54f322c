// RMSNormRotary of com.microsoft. Expected values are NumPy's; its standard operators are in
// testdata/fusions.
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor As(DType dtype, const Shape& shape, const std::vector<float>& values) {
  return Convert(Tensor::Of<float>(shape, values), dtype);
}

// One head of 4 elements at position 1, of which 2 are rotated, epsilon 0.
OpTest Rotary(DType x, DType cache) {
  OpTest test = Contrib("RMSNormRotary").Attr("rotary_embedding_dim", 2).Attr("epsilon", 0.0f);
  test.Input(As(x, {1, 1, 1, 4}, {3, 1, -2, 2})).Input(Floats({1, 2, 0.5f, 1})).Input(Ints({1}));
  return test.Input(As(cache, {2, 1}, {1, 0.3f})).Input(As(cache, {2, 1}, {0, 0.7f}));
}
Tensor Flags(int32_t value) { return Tensor::Scalar<int32_t>(value); }

TEST(RmsNormRotary, RoundsAsItsModesSay) {
  constexpr DType kB = DType::kBfloat16;
  const Tensor in_float = As(kB, {1, 1, 4}, {-0.23339844f, 1.2734375f, -0.47070312f, 0.94140625f});
  const Tensor in_steps = As(kB, {1, 1, 4}, {-0.234375f, 1.2734375f, -0.47070312f, 0.94140625f});
  ExpectTensor(Rotary(kB, kB).Run(), in_float);
  ExpectTensor(Rotary(kB, kB).Input(Flags(0)).Run(), in_float);
  ExpectTensor(Rotary(kB, kB).Attr("use_fp32_arithmetic", 0).Run(), in_steps);
  ExpectTensor(Rotary(kB, kB).Input(Flags(1)).Run(), in_steps);
  // Not rounded before the rotation, whatever the modes say.
  const Tensor unrounded =
      As(kB, {1, 1, 4}, {-0.23570226f, 1.27279221f, -0.47140452f, 0.94280904f});
  ExpectTensor(Rotary(kB, DType::kFloat).Run(), unrounded);
  ExpectTensor(Rotary(kB, DType::kFloat).Attr("use_fp32_arithmetic", 0).Input(Flags(1)).Run(),
               unrounded);
}

TEST(RmsNormRotary, NormalizedValues) {
  OpTest rounded = Rotary(DType::kBfloat16, DType::kBfloat16).Outputs(2);
  ExpectTensor(
      rounded.Run(1),
      Tensor::Of<float>({1, 1, 1, 4}, {1.4140625f, 0.94140625f, -0.47070312f, 0.94140625f}), 1e-7);
  OpTest own = Rotary(DType::kFloat16, DType::kFloat).Outputs(2).Attr("output_fp16", 1);
  ExpectTensor(
      own.Run(1),
      Tensor::Of<float>({1, 1, 1, 4}, {1.41421356f, 0.94280904f, -0.47140452f, 0.94280904f}), 1e-6);
  EXPECT_EQ(own.Run(0)->dtype(), DType::kFloat16);
}

// Tokens of one element pair (1, 0), whose norm is that: the result shows the row of the position.
OpTest Tokens(const Tensor& positions, int flatten) {
  OpTest test = Contrib("RMSNormRotary").Attr("rotary_embedding_dim", 2).Attr("epsilon", 0.0f);
  test.Attr("flatten_batch", flatten).Attr("input_start", 1).Attr("input_width", 2);
  test.Attr("output_fp16", 1);
  test.Input(As(DType::kFloat16, {2, 2, 1, 4}, {9, 1, 1, 9, 9, 1, 1, 9, 9, 1, 1, 9, 9, 1, 1, 9}));
  test.Input(Floats({1, 0})).Input(positions).Input(Tensor::Of<float>({5, 1}, {0, 1, 2, 3, 4}));
  return test.Input(Tensor::Of<float>({5, 1}, {0, 10, 20, 30, 40}));
}

TEST(RmsNormRotary, Positions) {
  constexpr DType kH = DType::kFloat16;
  ExpectTensor(Tokens(Ints({1}), 0).Run(), As(kH, {2, 2, 2}, {1, 10, 2, 20, 1, 10, 2, 20}));
  ExpectTensor(Tokens(Ints({1}), 1).Run(), As(kH, {1, 4, 2}, {1, 10, 2, 20, 3, 30, 4, 40}));
  ExpectTensor(Tokens(Ints({4, 0, 2, 3}).Reshaped({2, 2}), 0).Run(),
               As(kH, {2, 2, 2}, {4, 40, 0, 0, 2, 20, 3, 30}));
  ExpectError(Tokens(Ints({4}), 0).Run().status(), kInvalid, "position 5 is not in");
  ExpectError(Tokens(Ints({-1}), 0).Run().status(), kInvalid, "position -1 is not in");
  ExpectError(Tokens(Ints({1, 2}), 0).Run().status(), kInvalid, "position_ids is int64[2]");
}

TEST(RmsNormRotary, RefusesWhatDoesNotFit) {
  const auto status = [](const char* attribute, int64_t value) {
    return Rotary(DType::kBfloat16, DType::kBfloat16).Attr(attribute, value).Run().status();
  };
  ExpectError(status("input_start", 5), kInvalid, "from 5 on");
  ExpectError(status("input_start", -1), kInvalid, "input_start is -1");
  ExpectError(status("input_width", 3), kInvalid, "scale has shape [4], not [3]");
  ExpectError(Rotary(DType::kBfloat16, DType::kBfloat16).Input(Flags(2)).Run().status(), kInvalid,
              "prefill_numerics is 2");
  // No heads, and more tokens than anybody has positions for.
  OpTest many = Contrib("RMSNormRotary").Attr("rotary_embedding_dim", 2);
  many.Input(As(DType::kBfloat16, {1 << 30, 1 << 30, 0, 4}, {})).Input(Floats({1, 1, 1, 1}));
  many.Input(Ints({0})).Input(Iota({1, 1})).Input(Iota({1, 1}));
  ExpectError(many.Run().status(), absl::StatusCode::kResourceExhausted, "");
  OpTest odd = Contrib("RMSNormRotary").Attr("rotary_embedding_dim", 3);
  for (int i = 0; i < 2; ++i)
    odd.Input(i == 0 ? As(DType::kBfloat16, {1, 1, 1, 4}, {1, 1, 1, 1}) : Floats({1, 1, 1, 1}));
  odd.Input(Ints({0})).Input(Iota({1, 1})).Input(Iota({1, 1}));
  ExpectError(odd.Run().status(), kInvalid, "rotary_embedding_dim is 3");
}

}  // namespace
}  // namespace onnxcmp::testing
