#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor Falling() { return Tensor::Of<float>({1, 1, 5}, {-1, -2, -3, -4, -5}); }

// Expected values by onnxruntime.
TEST(LpPool, NormsOfWindows) {
  const auto pool = [](int opset, int p) {
    return OpTest("LpPool", opset)
        .Attr("kernel_shape", Int64s{3})
        .Attr("pads", Int64s{1, 1})
        .Attr("p", p)
        .Input(AsStridedView(Falling()))
        .Run();
  };
  ExpectTensor(pool(2, 1), Tensor::Of<float>({1, 1, 5}, {3, 6, 9, 12, 9}));
  ExpectTensor(pool(11, 3),
               Tensor::Of<float>({1, 1, 5}, {2.0800838f, 3.3019273f, 4.6260653f, 6, 5.738794f}),
               1e-6);
  OpTest dilated("LpPool", 18);
  dilated.Attr("kernel_shape", Int64s{2}).Attr("strides", Int64s{2}).Attr("pads", Int64s{1, 1});
  dilated.Attr("ceil_mode", 1).Attr("dilations", Int64s{2}).Input(Falling());
  ExpectTensor(dilated.Run(), Tensor::Of<float>({1, 1, 3}, {2, 4.472136f, 4}), 1e-6);
}

TEST(LpPool, VersionOneHasAFractionalOrder) {
  OpTest test("LpPool", 1);
  test.Attr("kernel_shape", Int64s{2}).Attr("p", 0.5f);
  test.Input(Tensor::Of<double>({1, 1, 2}, {4, -9}));
  ExpectTensor(test.Run(), Tensor::Of<double>({1, 1, 1}, {25}), 1e-15);
}

TEST(LpPool, SpecialValuesAndErrors) {
  const auto pool = [](const Tensor& x, int p) {
    return OpTest("LpPool", 22).Attr("kernel_shape", Int64s{2}).Attr("p", p).Input(x).Run();
  };
  ExpectTensor(pool(Tensor::Of<float>({1, 1, 4}, {NAN, 0, 0, -INFINITY}), 3),
               Tensor::Of<float>({1, 1, 3}, {NAN, 0, INFINITY}));
  // Squares of halves above 256 do not fit into halves, their sums' roots do.
  ExpectTensor(pool(Convert(Tensor::Of<float>({1, 1, 2}, {3000, 4000}), DType::kFloat16), 2),
               Convert(Tensor::Of<float>({1, 1, 1}, {5000}), DType::kFloat16));
  ExpectTensor(pool(Tensor::Of<float>({0, 1, 2}, {}), 2), Tensor::Of<float>({0, 1, 1}, {}));
  ExpectError(pool(Falling(), 0).status(), kInvalid, "p must be positive, not 0");
}

TEST(GlobalLpPool, KeepsTheRank) {
  const auto pool = [](const Tensor& x, int p) {
    return OpTest("GlobalLpPool", 22).Attr("p", p).Input(x).Run();
  };
  const Tensor x = Tensor::Of<float>({1, 2, 2, 1}, {3, -4, 0, 2});
  ExpectTensor(pool(x, 2), Tensor::Of<float>({1, 2, 1, 1}, {5, 2}));
  ExpectTensor(pool(AsStridedView(x), 1), Tensor::Of<float>({1, 2, 1, 1}, {7, 2}));
  ExpectTensor(pool(Convert(x, DType::kDouble), 2), Tensor::Of<double>({1, 2, 1, 1}, {5, 2}));
  ExpectTensor(
      OpTest("GlobalLpPool", 1).Attr("p", 0.5f).Input(Tensor::Of<float>({1, 1, 2}, {4, 9})).Run(),
      Tensor::Of<float>({1, 1, 1}, {25}), 1e-6);
  // More than one block of the sum.
  ExpectTensor(pool(Tensor::Of<float>({1, 1, 2500}, std::vector<float>(2500, -2)), 2),
               Tensor::Of<float>({1, 1, 1}, {100}));
  ExpectTensor(pool(Tensor::Of<float>({1, 1, 0}, {}), 3), Tensor::Of<float>({1, 1, 1}, {0}));
}

}  // namespace
}  // namespace onnxcmp::testing
