// CenterCropPad, Col2Im, DepthToSpace, SpaceToDepth.
#include <complex>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(DepthToSpace, Modes) {
  const Tensor x = Tensor::Of<int32_t>({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  OpTest test("DepthToSpace", 13);
  test.Attr("blocksize", 2).Input(x);
  const Tensor dcr = Tensor::Of<int32_t>({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7});
  ExpectTensor(test.Run(), dcr);
  ExpectTensor(OpTest("DepthToSpace", 1).Attr("blocksize", 2).Input(x).Run(), dcr);
  ExpectTensor(test.Attr("mode", "CRD").Run(),
               Tensor::Of<int32_t>({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  ExpectTensor(OpTest("SpaceToDepth", 13).Attr("blocksize", 2).Input(AsStridedView(dcr)).Run(), x);
}

// The inverse of DepthToSpace, as the text has it.
TEST(SpaceToDepth, Modes) {
  ONNXCMP_NEEDS_OPSET(28);
  const Tensor x = Iota({1, 2, 2, 4});
  for (const char* mode : {"DCR", "CRD"}) {
    OpTest there("SpaceToDepth", 28);
    const auto cut = there.Attr("blocksize", 2).Attr("mode", mode).Input(x).Run();
    ASSERT_TRUE(cut.ok()) << cut.status();
    OpTest back("DepthToSpace", 28);
    ExpectTensor(back.Attr("blocksize", 2).Attr("mode", mode).Input(*cut).Run(), x);
  }
  OpTest crd("SpaceToDepth", 28);
  ExpectTensor(
      crd.Attr("blocksize", 2).Attr("mode", "CRD").Input(x).Run(),
      Tensor::Of<float>({1, 8, 1, 2}, {0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}));
  ExpectError(
      OpTest("SpaceToDepth", 28).Attr("blocksize", 2).Attr("mode", "X").Input(x).Run().status(),
      kInvalid, "mode must be DCR or CRD, not \"X\"");
}

TEST(DepthToSpace, AnyType) {
  const Tensor x = Tensor::Of<std::string>({1, 1, 2, 1}, {"a", "b"});
  ExpectTensor(OpTest("DepthToSpace", 13).Attr("blocksize", 1).Input(x).Run(), x);
  ExpectTensor(OpTest("SpaceToDepth", 1)
                   .Attr("blocksize", 3)
                   .Input(Tensor::Of<double>({0, 1, 3, 6}, {}))
                   .Run(),
               Tensor::Of<double>({0, 9, 1, 2}, {}));
}

TEST(DepthToSpace, RefusesWhatDoesNotFit) {
  const auto run = [](const char* op, int64_t block) {
    return OpTest(op, 13)
        .Attr("blocksize", block)
        .Input(Tensor::Of<float>({1, 2, 1, 1}, {1, 2}))
        .Run()
        .status();
  };
  ExpectError(run("DepthToSpace", 2), kInvalid, "2 channels cannot be cut into blocks of 2x2");
  ExpectError(run("SpaceToDepth", 2), kInvalid, "1x1 cannot be cut into blocks of 2x2");
  ExpectError(run("SpaceToDepth", 0), kInvalid, "blocksize 0");
  ExpectError(run("DepthToSpace", INT64_MAX), kInvalid, "blocksize");
}

TEST(CenterCropPad, CropsAndPads) {
  const Tensor x = Tensor::Of<float>({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  const auto run = [](const Tensor& x, Int64s sizes) {
    const auto count = static_cast<int64_t>(sizes.size());
    return OpTest("CenterCropPad", 18).Input(x).Input(Tensor::Of<int64_t>({count}, sizes));
  };
  ExpectTensor(run(AsStridedView(x), {2, 1}).Run(), Tensor::Of<float>({2, 1}, {1, 5}));
  ExpectTensor(run(x, {5, 2}).Run(), Tensor::Of<float>({5, 2}, {0, 0, 1, 2, 5, 6, 0, 0, 0, 0}));
  ExpectTensor(run(x, {7}).Attr("axes", Int64s{-1}).Run(),
               Tensor::Of<float>({2, 7}, {0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6, 7, 0, 0}));
  ExpectTensor(run(Tensor::Of<std::string>({1}, {"a"}), {3}).Run(),
               Tensor::Of<std::string>({3}, {"", "a", ""}));
  ExpectTensor(run(x, {0, 4}).Run(), Tensor::Of<float>({0, 4}, {}));
  ExpectError(run(x, {1}).Run().status(), kInvalid, "shape has 1 values for 2 axes");
  ExpectError(run(x, {-1, 1}).Run().status(), kInvalid, "");
}

TEST(Col2Im, AddsBlocksUp) {
  const auto run = [](const Tensor& x) {
    return OpTest("Col2Im", 18)
        .Input(x)
        .Input(Tensor::Of<int64_t>({2}, {1, 3}))
        .Input(Tensor::Of<int64_t>({2}, {1, 2}));
  };
  // Blocks of two at three positions over [pad, a, b, c], two channels.
  const Tensor x = Tensor::Of<float>({1, 4, 3}, {9, 1, 2, 3, 4, 5, -9, -1, -2, -3, -4, -5});
  const Tensor y = Tensor::Of<float>({1, 2, 1, 3}, {4, 6, 5, -4, -6, -5});
  ExpectTensor(run(AsStridedView(x)).Attr("pads", Int64s{0, 1, 0, 0}).Run(), y);
  const Tensor bytes = Tensor::Of<uint8_t>({1, 2, 2}, {1, 200, 100, 3});
  ExpectTensor(run(bytes).Run(), Tensor::Of<uint8_t>({1, 1, 1, 3}, {1, 44, 3}));
  const Tensor bits = Convert(Tensor::Of<float>({1, 2, 2}, {0, 1, 1, 0}), DType::kBool);
  ExpectTensor(run(bits).Run(), Convert(Tensor::Of<float>({1, 1, 1, 3}, {0, 1, 0}), DType::kBool));
  using Complex = std::complex<float>;
  ExpectTensor(run(Tensor::Of<Complex>({1, 2, 2}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}})).Run(),
               Tensor::Of<Complex>({1, 1, 1, 3}, {{1, 2}, {8, 10}, {7, 8}}));
  ExpectError(run(x).Run().status(), kInvalid, "there are 2 blocks of 2 elements");
  ExpectError(run(Tensor::Of<std::string>({1, 2, 2}, {"", "", "", ""})).Run().status(),
              kUnimplemented, "elements of type string are not supported");
}

}  // namespace
}  // namespace onnxcmp::testing
