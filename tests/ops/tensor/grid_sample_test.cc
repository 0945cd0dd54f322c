#include <complex>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor X() { return Tensor::Of<float>({1, 1, 2, 2}, {1, 2, 3, 4}); }
const Tensor Grid() {
  return Tensor::Of<float>({1, 1, 4, 2}, {-1, -1, 0, 0, 0.5f, 0.25f, 1.5f, -2});
}

OpTest Sample(const Tensor& x, const Tensor& grid, const char* mode, const char* padding,
              bool align_corners) {
  OpTest test("GridSample", 22);
  test.Attr("mode", mode).Attr("padding_mode", padding);
  test.Attr("align_corners", align_corners ? 1 : 0).Input(x).Input(grid);
  return test;
}

// Expected values by onnxruntime; ONNX's evaluator agrees but for cubic at the border.
TEST(GridSample, ModesAndPadding) {
  struct Case {
    const char* mode;
    const char* padding;
    std::vector<float> plain;
    std::vector<float> aligned;
  };
  const Case cases[] = {
      {"linear", "zeros", {0.25f, 2.5f, 3.5f, 0}, {1, 2.5f, 3, 0.75f}},
      {"linear", "border", {1, 2.5f, 3.5f, 2}, {1, 2.5f, 3, 2}},
      {"linear", "reflection", {1, 2.5f, 3.5f, 3}, {1, 2.5f, 3, 2.75f}},
      {"nearest", "zeros", {1, 1, 4, 0}, {1, 1, 4, 2}},
      {"nearest", "border", {1, 1, 4, 2}, {1, 1, 4, 2}},
      {"nearest", "reflection", {1, 1, 4, 4}, {1, 1, 4, 2}},
      {"cubic",
       "zeros",
       {0.109375f, 3.525391f, 4.039062f, 0},
       {1, 3.525391f, 4.084351f, 0.6811523f}},
      {"cubic", "border", {0.71875f, 2.5f, 3.546875f, 2}, {1, 2.5f, 3.052734f, 1.917969f}},
      {"cubic", "reflection", {0.4375f, 2.5f, 3.546875f, 3}, {1, 2.5f, 3.210938f, 2.84375f}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.mode);
    SCOPED_TRACE(c.padding);
    ExpectTensor(Sample(AsStridedView(X()), Grid(), c.mode, c.padding, false).Run(),
                 Tensor::Of<float>({1, 1, 1, 4}, c.plain), 1e-6);
    ExpectTensor(Sample(X(), Convert(Grid(), DType::kDouble), c.mode, c.padding, true).Run(),
                 Tensor::Of<float>({1, 1, 1, 4}, c.aligned), 1e-6);
  }
}

// Real and imaginary parts are sampled alike: the values are those of real elements above.
TEST(GridSample, ComplexElements) {
  using C = std::complex<float>;
  const Tensor x = Tensor::Of<C>({1, 2, 2, 2}, {C(1, 3), C(2, 4), C(3, 1), C(4, 2),  //
                                                C(0, 1), C(0, 2), C(0, 3), C(0, 4)});
  ExpectTensor(Sample(x, Grid(), "linear", "zeros", false).Run(),
               Tensor::Of<C>({1, 2, 1, 4}, {C(0.25f, 0.75f), C(2.5f, 2.5f), C(3.5f, 2.5f), C(0, 0),
                                            C(0, 0.25f), C(0, 2.5f), C(0, 3.5f), C(0, 0)}));
}

TEST(GridSample, Version16HasOtherNames) {
  const auto run = [](const char* mode) {
    return OpTest("GridSample", 16).Attr("mode", mode).Input(X()).Input(Grid()).Run();
  };
  ExpectTensor(run("bilinear"), Tensor::Of<float>({1, 1, 1, 4}, {0.25f, 2.5f, 3.5f, 0}));
  ExpectTensor(run("bicubic"),
               Tensor::Of<float>({1, 1, 1, 4}, {0.109375f, 3.525391f, 4.039062f, 0}), 1e-6);
  ExpectError(run("linear").status(), kInvalid, "mode \"linear\"");
}

TEST(GridSample, OtherNumbersOfDimensions) {
  const Tensor x = Tensor::Of<float>({1, 2, 3}, {1, 2, 3, 10, 20, 30});
  ExpectTensor(Sample(x, Tensor::Of<float>({1, 2, 1}, {-1, 0.5f}), "linear", "zeros", true).Run(),
               Tensor::Of<float>({1, 2, 2}, {1, 2.5f, 10, 25}));
  const Tensor cube = Tensor::Of<float>({1, 1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Tensor grid = Tensor::Of<float>({1, 1, 1, 1, 3}, {0.5f, 0, -0.25f});
  ExpectTensor(Sample(cube, grid, "linear", "zeros", true).Run(),
               Tensor::Of<float>({1, 1, 1, 1, 1}, {3.25f}));
  ExpectTensor(Sample(cube, grid, "nearest", "zeros", true).Run(),
               Tensor::Of<float>({1, 1, 1, 1, 1}, {1}));
}

TEST(GridSample, Types) {
  const Tensor grid = Tensor::Of<float>({1, 3, 1}, {-1, 1, 9});
  ExpectTensor(
      Sample(Tensor::Of<std::string>({1, 1, 2}, {"a", "b"}), grid, "nearest", "zeros", true).Run(),
      Tensor::Of<std::string>({1, 1, 3}, {"a", "b", ""}));
  ExpectTensor(Sample(Tensor::Of<int64_t>({1, 1, 2}, {(int64_t{1} << 53) + 1, 2}), grid, "nearest",
                      "border", true)
                   .Run(),
               Tensor::Of<int64_t>({1, 1, 3}, {(int64_t{1} << 53) + 1, 2, 2}));
  ExpectTensor(Sample(Tensor::Of<uint8_t>({1, 1, 2}, {0, 255}), Tensor::Of<float>({1, 1, 1}, {0}),
                      "linear", "zeros", true)
                   .Run(),
               Tensor::Of<uint8_t>({1, 1, 1}, {127}));
  ExpectTensor(Sample(Convert(X(), DType::kFloat16), Convert(Grid(), DType::kFloat16), "linear",
                      "zeros", false)
                   .Run(),
               Convert(Tensor::Of<float>({1, 1, 1, 4}, {0.25f, 2.5f, 3.5f, 0}), DType::kFloat16));
  ExpectError(Sample(Tensor::Of<std::string>({1, 1, 1}, {"a"}), grid, "linear", "zeros", true)
                  .Run()
                  .status(),
              kUnimplemented, "string");
}

TEST(GridSample, PositionsThatAreNoNumbers) {
  const Tensor x = Tensor::Of<float>({1, 1, 3}, {1, 2, 3});
  const Tensor grid = Tensor::Of<float>({1, 4, 1}, {NAN, INFINITY, -INFINITY, 1e38f});
  const auto four = [](std::vector<float> values) { return Tensor::Of<float>({1, 1, 4}, values); };
  for (const char* mode : {"linear", "nearest", "cubic"}) {
    ExpectTensor(Sample(x, grid, mode, "zeros", false).Run(), four({0, 0, 0, 0}));
    ExpectTensor(Sample(x, grid, mode, "border", true).Run(), four({1, 3, 1, 3}));
    EXPECT_TRUE(Sample(x, grid, mode, "reflection", false).Run().ok());
    EXPECT_TRUE(
        Sample(Tensor::Of<float>({1, 1, 1}, {1}), grid, mode, "reflection", true).Run().ok());
  }
}

TEST(GridSample, EmptyAndWrong) {
  ExpectTensor(Sample(Tensor::Of<float>({0, 1, 2}, {}), Tensor::Of<float>({0, 3, 1}, {}), "linear",
                      "zeros", true)
                   .Run(),
               Tensor::Of<float>({0, 1, 3}, {}));
  ExpectError(Sample(Tensor::Of<float>({1, 1, 0}, {}), Tensor::Of<float>({1, 1, 1}, {0}), "linear",
                     "zeros", true)
                  .Run()
                  .status(),
              kInvalid, "which is empty");
  ExpectError(Sample(X(), Tensor::Of<float>({1, 1, 1, 3}, {0, 0, 0}), "linear", "zeros", true)
                  .Run()
                  .status(),
              kInvalid, "grid N x O1 ... Or x r");
  ExpectError(Sample(X(), Grid(), "linear", "mirror", true).Run().status(), kInvalid,
              "padding_mode \"mirror\"");
}

}  // namespace
}  // namespace onnxcmp::testing
