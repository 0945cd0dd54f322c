#include <complex>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using Float32s = std::vector<float>;

const Tensor Row() { return Tensor::Of<float>({1, 1, 1, 4}, {1, 2, 4, 8}); }

OpTest ByScale(int opset, const Tensor& x, float scale, const char* mode) {
  OpTest test("Resize", opset);
  test.Attr("mode", mode).Input(x);
  if (opset == 11) test.Input(Tensor::Of<float>({0}, {}));
  if (opset > 11) test.NoInput();
  Float32s scales(static_cast<size_t>(x.rank()), 1);
  scales.back() = scale;
  test.Input(Tensor::Of<float>({x.rank()}, scales));
  return test;
}

OpTest BySizes(int opset, const Tensor& x, Int64s sizes, const char* mode) {
  OpTest test("Resize", opset);
  const auto count = static_cast<int64_t>(sizes.size());
  test.Attr("mode", mode).Input(x).NoInput().NoInput().Input(Tensor::Of<int64_t>({count}, sizes));
  return test;
}

Tensor Six(Float32s values) { return Tensor::Of<float>({1, 1, 1, 6}, values); }

// Both onnxruntime and ONNX's evaluator give these values.
TEST(Resize, CoordinatesAndModes) {
  const auto run = [](const char* coordinates, const char* mode) {
    return ByScale(19, Row(), 1.5f, mode).Attr("coordinate_transformation_mode", coordinates).Run();
  };
  for (const char* half : {"half_pixel", "pytorch_half_pixel", "half_pixel_symmetric"}) {
    ExpectTensor(run(half, "nearest"), Six({1, 1, 2, 4, 4, 8}));
    ExpectTensor(run(half, "linear"), Six({1, 1.5f, 2.333333f, 3.666667f, 6, 8}), 1e-6);
    ExpectTensor(run(half, "cubic"),
                 Six({0.9131949f, 1.3125f, 2.304401f, 3.383103f, 6.1875f, 8.347222f}), 1e-6);
  }
  ExpectTensor(run("align_corners", "nearest"), Six({1, 2, 2, 4, 4, 8}));
  ExpectTensor(run("align_corners", "linear"), Six({1, 1.6f, 2.4f, 3.6f, 5.6f, 8}), 1e-6);
  ExpectTensor(run("align_corners", "cubic"), Six({1, 1.396f, 2.352003f, 3.288001f, 5.768f, 8}),
               2e-6);
  ExpectTensor(run("asymmetric", "nearest"), Six({1, 2, 2, 4, 8, 8}));
  ExpectTensor(run("asymmetric", "linear"), Six({1, 1.666667f, 2.666667f, 4, 6.666667f, 8}), 1e-6);
  ExpectTensor(run("asymmetric", "cubic"), Six({1, 1.462963f, 2.518517f, 4, 6.851852f, 8.444448f}),
               2e-6);
  ExpectTensor(ByScale(11, Row(), 1.5f, "nearest")
                   .Attr("coordinate_transformation_mode", "tf_half_pixel_for_nn")
                   .Run(),
               Six({1, 2, 4, 4, 8, 8}));
}

// The parts are interpolated alike; values as for real elements.
TEST(Resize, ComplexElements) {
  using C = std::complex<double>;
  const Tensor x = Tensor::Of<C>({1, 1, 1, 4}, {C(1, 8), C(2, 4), C(4, 2), C(8, 1)});
  ExpectTensor(ByScale(19, x, 1.5f, "linear").Run(),
               Tensor::Of<C>({1, 1, 1, 6}, {C(1, 8), C(1.5, 6), C(7 / 3.0, 11 / 3.0),
                                            C(11 / 3.0, 7 / 3.0), C(6, 1.5), C(8, 1)}),
               1e-6);
}

// The last result is a whole number, which weights in float miss by their rounding: 10 in
// onnxruntime and ONNX's evaluator, not 9.
TEST(Resize, IntegersThatWeightsMiss) {
  const Tensor x = Tensor::Of<int32_t>(
      {1, 1, 4, 5},
      {-25, 41, -31, -49, 57, 19, -59, 24, 50, 40, -48, 42, 57, -38, -16, 40, -23, 50, 40, -17});
  ExpectTensor(BySizes(13, x, {1, 1, 1, 3}, "linear").Run(),
               Tensor::Of<int32_t>({1, 1, 1, 3}, {-12, 40, 10}));
}

TEST(Resize, NearestModes) {
  const auto run = [](const char* nearest) {
    return BySizes(13, Row(), {1, 1, 1, 8}, "nearest")
        .Attr("nearest_mode", nearest)
        .Attr("coordinate_transformation_mode", "asymmetric")
        .Run();
  };
  const auto eight = [](Float32s values) { return Tensor::Of<float>({1, 1, 1, 8}, values); };
  ExpectTensor(run("round_prefer_floor"), eight({1, 1, 2, 2, 4, 4, 8, 8}));
  ExpectTensor(run("round_prefer_ceil"), eight({1, 2, 2, 4, 4, 8, 8, 8}));
  ExpectTensor(run("floor"), eight({1, 1, 2, 2, 4, 4, 8, 8}));
  ExpectTensor(run("ceil"), eight({1, 2, 2, 4, 4, 8, 8, 8}));
}

// onnxruntime.
TEST(Resize, Version10) {
  ExpectTensor(ByScale(10, Row(), 1.5f, "nearest").Run(), Six({1, 1, 2, 4, 4, 8}));
  ExpectTensor(ByScale(10, Row(), 0.6f, "nearest").Run(), Tensor::Of<float>({1, 1, 1, 2}, {1, 4}));
  ExpectTensor(ByScale(10, Row(), 1.5f, "linear").Run(),
               Six({1, 1.666667f, 2.666667f, 4, 6.666667f, 8}), 1e-6);
}

TEST(Resize, CubicWithoutWhatLiesOutside) {
  ExpectTensor(ByScale(18, Row(), 1.5f, "cubic")
                   .Attr("exclude_outside", 1)
                   .Attr("cubic_coeff_a", -0.5f)
                   .Run(),
               Six({0.9342108f, 1.352941f, 2.252313f, 3.539352f, 6.235294f, 8.263158f}), 1e-6);
}

TEST(Resize, Antialias) {
  const Tensor x = Tensor::Of<float>({1, 1, 1, 8}, {0, 1, 4, 9, 16, 25, 36, 49});
  const auto run = [&](const char* mode, int exclude) {
    return ByScale(18, x, 0.5f, mode).Attr("antialias", 1).Attr("exclude_outside", exclude).Run();
  };
  const auto four = [](Float32s values) { return Tensor::Of<float>({1, 1, 1, 4}, values); };
  ExpectTensor(run("linear", 0), four({0.875f, 7, 21, 41.125f}));
  ExpectTensor(run("linear", 1), four({1, 7, 21, 40}), 1e-6);
  ExpectTensor(run("cubic", 0), four({0.2070312f, 5.986328f, 20.23242f, 42.58984f}), 1e-6);
  ExpectTensor(run("cubic", 1), four({0.2203742f, 5.882917f, 20.72937f, 42.17671f}), 1e-6);
  // Without shrinking it has no effect.
  ExpectTensor(ByScale(18, Row(), 1.5f, "linear").Attr("antialias", 1).Run(),
               Six({1, 1.5f, 2.333333f, 3.666667f, 6, 8}), 1e-6);
}

TEST(Resize, CropExtrapolates) {
  OpTest test("Resize", 13);
  test.Attr("mode", "linear").Attr("coordinate_transformation_mode", "tf_crop_and_resize");
  test.Attr("extrapolation_value", -1.0f).Input(Row());
  test.Input(Tensor::Of<float>({8}, {0, 0, 0, .5f, 1, 1, 1, 1.5f})).NoInput();
  test.Input(Tensor::Of<int64_t>({4}, {1, 1, 1, 5}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 1, 5}, {3, 5, 8, -1, -1}));
  ExpectError(BySizes(13, Row(), {1, 1, 1, 5}, "linear")
                  .Attr("coordinate_transformation_mode", "tf_crop_and_resize")
                  .Run()
                  .status(),
              kInvalid, "needs a roi of 8 values");
}

TEST(Resize, AxesAndAspectRatio) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto run = [&](const char* policy, Int64s sizes) {
    return BySizes(19, x, std::move(sizes), "nearest")
        .Attr("axes", Int64s{-1, 0})
        .Attr("keep_aspect_ratio_policy", policy)
        .Run();
  };
  ExpectTensor(run("stretch", {3, 4}),
               Tensor::Of<float>({4, 3}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  ExpectTensor(run("not_larger", {6, 2}), x);
  // 5 / 3 of 2 is 3.33.
  const auto larger = run("not_smaller", {5, 2});
  ASSERT_TRUE(larger.ok());
  EXPECT_EQ(larger->shape(), (Shape{3, 5}));
}

TEST(Resize, TypesAndValues) {
  const auto bytes = [](std::vector<uint8_t> values) {
    const auto count = static_cast<int64_t>(values.size());
    return Tensor::Of<uint8_t>({1, 1, 1, count}, values);
  };
  // Truncated; rounded with antialias. As onnxruntime.
  ExpectTensor(ByScale(13, bytes({1, 2, 4, 8}), 1.5f, "linear").Run(), bytes({1, 1, 2, 3, 6, 8}));
  ExpectTensor(ByScale(18, bytes({1, 2, 4, 8}), 0.5f, "linear").Attr("antialias", 1).Run(),
               bytes({2, 6}));
  ExpectTensor(ByScale(13, bytes({0, 255, 255, 0}), 1.5f, "cubic").Run(),
               bytes({0, 127, 255, 255, 127, 0}));
  ExpectTensor(ByScale(13, Tensor::Of<int64_t>({1}, {(int64_t{1} << 53) + 1}), 2, "nearest").Run(),
               Tensor::Of<int64_t>({2}, {(int64_t{1} << 53) + 1, (int64_t{1} << 53) + 1}));
  ExpectTensor(ByScale(19, Tensor::Of<std::string>({2}, {"a", "b"}), 2, "nearest").Run(),
               Tensor::Of<std::string>({4}, {"a", "a", "b", "b"}));
  ExpectTensor(ByScale(19, AsStridedView(Tensor::Of<double>({1, 2}, {1, 3})), 2, "linear").Run(),
               Tensor::Of<double>({1, 4}, {1, 1.5, 2.5, 3}));
  ExpectTensor(ByScale(19, Tensor::Of<float>({3}, {NAN, 1, INFINITY}), 2, "linear").Run(),
               Tensor::Of<float>({6}, {NAN, NAN, NAN, INFINITY, INFINITY, INFINITY}));
  ExpectError(ByScale(19, Tensor::Of<std::string>({1}, {"a"}), 2, "linear").Run().status(),
              kUnimplemented, "cannot be interpolated");
}

TEST(Resize, EmptyAndWrong) {
  ExpectTensor(ByScale(19, Tensor::Of<float>({0, 2}, {}), 2, "linear").Run(),
               Tensor::Of<float>({0, 4}, {}));
  ExpectTensor(ByScale(19, Tensor::Of<float>({2}, {1, 2}), 0.1f, "cubic").Run(),
               Tensor::Of<float>({0}, {}));
  ExpectError(BySizes(19, Tensor::Of<float>({0}, {}), {2}, "linear").Run().status(), kInvalid,
              "axis 0 of size 0 cannot become 2");
  ExpectError(ByScale(19, Row(), -1, "linear").Run().status(), kInvalid, "scale -1 of axis 3");
  ExpectError(ByScale(19, Row(), NAN, "linear").Run().status(), kInvalid, "scale nan of axis 3");
  ExpectError(BySizes(19, Row(), {1, 1, 1, INT64_MAX}, "linear").Run().status(), kInvalid,
              "of axis 3");
  // The result would fit, what it takes to make it would not.
  ExpectError(
      BySizes(19, Tensor::Of<uint8_t>({1}, {1}), {int64_t{1} << 31}, "nearest").Run().status(),
      absl::StatusCode::kResourceExhausted, "");
  ExpectError(BySizes(19, Row(), {1, 1}, "linear").Run().status(), kInvalid,
              "sizes has 2 values for 4 axes");
  ExpectError(OpTest("Resize", 19).Input(Row()).Run().status(), kInvalid,
              "neither scales nor sizes");
  ExpectError(ByScale(19, Row(), 2, "linear").Input(Tensor::Of<int64_t>({1}, {1})).Run().status(),
              kInvalid, "both scales and sizes");
  ExpectError(ByScale(19, Row(), 2, "sharp").Run().status(), kInvalid, "mode \"sharp\"");
}

// Nothing is left to be resized, so that neither scales nor sizes need be given.
TEST(Resize, ScalarsStayAsTheyAre) {
  for (const int opset : {10, 19}) {
    OpTest test("Resize", opset);
    test.Input(Tensor::Scalar(3.0f));
    if (opset > 10) test.NoInput();
    test.Input(Tensor::Of<float>({0}, {}));
    ExpectTensor(test.Run(), Tensor::Scalar(3.0f));
  }
  ExpectTensor(OpTest("Resize", 19).Input(Tensor::Scalar(3.0f)).Run(), Tensor::Scalar(3.0f));
}

TEST(Resize, ThreadsDoNotMatter) {
  OpTest test("Resize", 19);
  test.Attr("mode", "cubic").Input(RandomFloats({2, 8, 33, 45}, 1)).NoInput();
  test.Input(Tensor::Of<float>({4}, {1, 1, 1.7f, 0.6f}));
  const auto one = test.Threads(1).Run();
  ASSERT_TRUE(one.ok());
  ExpectSameBits(test.Threads(2).Run(), *one);
}

TEST(Upsample, AllVersions) {
  const Tensor x = Tensor::Of<float>({1, 1, 1, 2}, {1, 2});
  const Tensor nearest = Tensor::Of<float>({1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2});
  ExpectTensor(
      OpTest("Upsample", 1).Attr("height_scale", 2.0f).Attr("width_scale", 2.0f).Input(x).Run(),
      nearest);
  ExpectTensor(OpTest("Upsample", 7).Attr("scales", Float32s{1, 1, 2, 2}).Input(x).Run(), nearest);
  for (int opset : {9, 10}) {
    const auto run = [&](Float32s scales) {
      return OpTest("Upsample", opset)
          .Attr("mode", "linear")
          .Input(x)
          .Input(Tensor::Of<float>({4}, scales))
          .Run();
    };
    ExpectTensor(run({1, 1, 1, 2}), Tensor::Of<float>({1, 1, 1, 4}, {1, 1.5f, 2, 2}));
    ExpectError(run({1, 1, 1, 0.5f}).status(), kInvalid, "scale 0.5 of axis 3");
  }
  ExpectError(OpTest("Upsample", 7).Attr("scales", Float32s{1, 2}).Input(x).Run().status(),
              kInvalid, "2 scales for 4 axes");
}

}  // namespace
}  // namespace onnxcmp::testing
