// Expected values are the formula's, rounded by hand.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(GemmFloat8, ScalesActivatesAndSaturates) {
  const auto fp8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
  const auto run = [&](const char* activation, DType dtype, float alpha) {
    OpTest test = Contrib("GemmFloat8").Attr("activation", activation).Attr("alpha", alpha);
    test.Attr("transB", 1).Attr("beta", 2.0f).Attr("dtype", static_cast<int64_t>(dtype));
    test.Input(fp8(OneRow(1, 2))).Input(fp8(Tensor::Of<float>({2, 2}, {1, 1, -4, 1})));
    test.Input(OneRow(1, 0.5f)).Input(Floats({2})).Input(Floats({0.5f})).Input(Floats({10}));
    return test.Run();
  };
  // 3 + 2 and -2 + 1, times 10.
  ExpectTensor(run("NONE", DType::kFloat, 1), OneRow(50, -10));
  ExpectTensor(run("RELU", DType::kFloat16, 1), AsHalf(OneRow(50, 0)));
  ExpectTensor(run("NONE", DType::kFloat8E4M3FN, 100), fp8(OneRow(448, -448)));
  ExpectTensor(run("GELU", DType::kFloat, 1), OneRow(50, -1.5880801f), 1e-5);
  ExpectError(run("TANH", DType::kFloat, 1).status(), kInvalid, "\"TANH\"");
  ExpectError(run("NONE", DType::kInt8, 1).status(), kInvalid, "dtype is int8");
}

}  // namespace
}  // namespace onnxcmp::testing
