// Expected values are onnxruntime 1.31's, or the formula's on numbers that make it exact.
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(FusedConv, AddsBiasAndZThenActivates) {
  const Tensor x = Tensor::Of<float>({1, 1, 1, 3}, {1, 2, 3});
  const Tensor w = Tensor::Of<float>({2, 1, 1, 2}, {1, 1, 1, -1});
  const Tensor b = Tensor::Of<float>({2}, {10, -10});
  const Tensor z = Tensor::Of<float>({1, 2, 1, 2}, {0, -20, 20, 0});
  ExpectTensor(
      Contrib("FusedConv").Attr("activation", "Relu").Input(x).Input(w).Input(b).Input(z).Run(),
      Tensor::Of<float>({1, 2, 1, 2}, {13, 0, 9, 0}));
  ExpectTensor(Contrib("FusedConv").Input(x).Input(w).NoInput().Input(z).Run(),
               Tensor::Of<float>({1, 2, 1, 2}, {3, -15, 19, -1}));
  ExpectTensor(Contrib("FusedConv")
                   .Attr("activation", "Clip")
                   .Attr("activation_params", std::vector<float>{0, 4})
                   .Input(x)
                   .Input(w)
                   .Run(),
               Tensor::Of<float>({1, 2, 1, 2}, {3, 4, 0, 0}));
  ExpectError(Contrib("FusedConv").Input(x).Input(w).Input(b).Input(x).Run().status(), kInvalid,
              "Z is");
}

// x * min(max(x / 6 + 1 / 2, 0), 1), whatever parameters are given, as in onnxruntime.
TEST(FusedConv, HardSwishHasNoParameters) {
  const Tensor x = Tensor::Of<float>({1, 1, 4}, {-6, -1.5f, 1.5f, 6});
  const Tensor want = Tensor::Of<float>({1, 1, 4}, {0, -0.375f, 1.125f, 6});
  OpTest test = Contrib("FusedConv").Attr("activation", "HardSwish");
  test.Input(x).Input(Tensor::Of<float>({1, 1, 1}, {1}));
  ExpectTensor(test.Run(), want, 1e-6);
  ExpectTensor(test.Attr("activation_params", std::vector<float>{0.3f, 0.2f}).Run(), want, 1e-6);
}

TEST(FusedConv, HasTheBitsOfItsParts) {
  const Tensor x = RandomFloats({1, 5, 20, 23}, 1);
  const Tensor w = RandomFloats({9, 5, 3, 3}, 2);
  const Tensor b = RandomFloats({9}, 3);
  const auto conv = OpTest("Conv", 22).Input(x).Input(w).Input(b).Run();
  ASSERT_TRUE(conv.ok());
  std::vector<float> want(conv->AsSpan<float>().begin(), conv->AsSpan<float>().end());
  for (float& value : want) value = value < 0 ? 0 : value;
  ExpectSameBits(Contrib("FusedConv").Attr("activation", "Relu").Input(x).Input(w).Input(b).Run(),
                 Tensor::Of<float>(conv->shape(), want));
}

}  // namespace
}  // namespace onnxcmp::testing
