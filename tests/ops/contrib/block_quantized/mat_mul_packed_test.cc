// The values of formats are tested by onnxruntime's results (tests/golden/contrib/GatherPacked);
// here weights are plain float16 (format 1) or blocks whose values are easily seen.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/block_quantized/packed_rows.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Product(const Tensor& a, const Tensor& b, int64_t k, int64_t n) {
  OpTest test = Contrib("MatMulPacked").Attr("packed_type", kF16).Attr("K", k).Attr("N", n);
  return test.Input(a).Input(b);
}

TEST(MatMulPacked, MultipliesByRows) {
  const Tensor b = HalfBytes({2, 2}, {1, 2, -3, 0.5f});
  ExpectTensor(Product(Halves({1, 2, 2}, {1, 1, 2, 4}), b, 2, 2).Run(),
               Halves({1, 2, 2}, {3, -2.5f, 10, -4}));
  ExpectTensor(Product(Halves({2}, {1, 1}), b, 2, 2).Attr("activation_type", "relu2").Run(),
               Halves({2}, {9, 0}));
  ExpectTensor(Product(Halves({2}, {1, 1}), b, 2, 2).Attr("activation_type", "relu_squared").Run(),
               Halves({2}, {9, 0}));
  ExpectTensor(
      Product(Halves({1}, {1}), HalfBytes({1, 1}, {2}), 1, 1).Attr("activation_type", "silu").Run(),
      Halves({1}, {1.76171875f}));
  ExpectTensor(Product(Halves({0, 2}, {}), b, 2, 2).Run(), Halves({0, 2}, {}));
}

// 257 is no bfloat16: as a weight it is 256, as a sum of float16 257 before relu2.
TEST(MatMulPacked, RoundsWeightsAndSums) {
  const auto bfloat = [](const std::vector<float>& x) {
    return Convert(Floats(x), DType::kBfloat16);
  };
  ExpectTensor(Product(bfloat({3}), HalfBytes({1, 1}, {257}), 1, 1).Run(), bfloat({768}));
  ExpectTensor(Product(bfloat({1, 1}), HalfBytes({1, 2}, {256, 1}), 2, 1)
                   .Attr("activation_type", "relu2")
                   .Run(),
               bfloat({65536}));
}

TEST(MatMulPacked, RefusesWhatDoesNotFit) {
  const Tensor b = HalfBytes({2, 2}, {1, 2, 3, 4});
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(Product(Halves({3}, {1, 1, 1}), b, 2, 2)), kInvalid,
              "A is float16[3], but K is 2");
  ExpectError(status(Product(Halves({2}, {1, 1}), b, 2, 3)), kInvalid, "B is uint8[2,4]");
  ExpectError(status(Product(Halves({2}, {1, 1}), b, 2, 2).Attr("activation_type", "gelu")),
              kInvalid, "\"gelu\"");
  ExpectError(status(Product(Halves({2}, {1, 1}), b, 2, 2).Input(Tensor::Scalar<float>(2))),
              kUnimplemented, "global_scale is for NVFP4, but the format is F16");
}

}  // namespace
}  // namespace onnxcmp::testing
