// The operators that were experimental in ONNX, left it, and that onnxruntime kept.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Of(const char* op_type, const Tensor& x, int opset = 9) {
  OpTest test(op_type, opset);
  test.Input(x);
  return test;
}

// Values: onnxruntime 1.31.
TEST(ExperimentalTest, Activations) {
  const Tensor x = Floats({-2, 0, 2, kNaN, kInf, -kInf});
  ExpectTensor(Of("Affine", x).Attr("alpha", 2.0f).Attr("beta", 0.5f).Run(),
               Floats({-3.5f, 0.5f, 4.5f, kNaN, kInf, -kInf}));
  ExpectTensor(Of("Scale", x).Attr("scale", 3.0f).Run(), Floats({-6, 0, 6, kNaN, kInf, -kInf}));
  ExpectTensor(Of("ScaledTanh", x).Attr("alpha", 2.0f).Attr("beta", 0.5f).Run(),
               Floats({-1.5231883525848389f, 0, 1.5231883525848389f, kNaN, 2, -2}), 1e-6);
  ExpectTensor(Of("ParametricSoftplus", x).Attr("alpha", 2.0f).Attr("beta", 0.5f).Run(),
               Floats({0.6265232563018799f, 1.3862943649291992f, 2.62652325630188f, kNaN, kInf, 0}),
               1e-6);
  ExpectTensor(
      Of("ParametricSoftplus", Floats({1000})).Attr("alpha", 1.0f).Attr("beta", 1.0f).Run(),
      Floats({1000}));
}

TEST(ExperimentalTest, AttributesWithoutDefaultAreNeeded) {
  ExpectError(Of("ScaledTanh", Floats({1})).Attr("alpha", 1.0f).Run().status(), kInvalid, "beta");
  ExpectError(Of("ParametricSoftplus", Floats({1})).Run().status(), kInvalid, "alpha");
}

TEST(ExperimentalTest, GoneFromVersion10On) {
  EXPECT_FALSE(Of("Affine", Floats({1}), 10).Run().ok());
}

TEST(ExperimentalTest, ImageScaler) {
  const std::vector<float> bias = {1, -1};
  ExpectTensor(Of("ImageScaler", Iota({1, 2, 1, 2})).Attr("scale", 2.0f).Attr("bias", bias).Run(),
               Tensor::Of<float>({1, 2, 1, 2}, {1, 3, 3, 5}));
  ExpectError(Of("ImageScaler", Iota({1, 3, 1, 2})).Attr("bias", bias).Run().status(), kInvalid,
              "a bias of 2 channels");
}

// Values: onnxruntime 1.31.
TEST(ExperimentalTest, Crop) {
  const auto crop = [](std::vector<int64_t> border, std::vector<int64_t> scale) {
    OpTest test = Of("Crop", Iota({2, 1, 4, 3}));
    test.Attr("border", border);
    if (!scale.empty()) test.Attr("scale", scale);
    return test.Run();
  };
  ExpectTensor(crop({1, 0, 1, 2}, {}), Tensor::Of<float>({2, 1, 2, 1}, {1, 4, 13, 16}));
  ExpectTensor(crop({1, 0, 1, 1}, {2, 1}), Tensor::Of<float>({2, 1, 2, 1}, {1, 4, 13, 16}));
  ExpectTensor(crop({3, 4, 0, 0}, {}), Iota({2, 1, 0, 0}));
  ExpectError(crop({2, 0, 2, 0}, {}).status(), kInvalid, "axis 3 of size 3");
  ExpectError(crop({0, INT64_MAX, 0, INT64_MAX}, {}).status(), kInvalid, "axis 2");
  ExpectError(crop({0, 0, 0, 0}, {5, 2}).status(), kInvalid, "axis 2");
  ExpectError(crop({0, -1, 0, 0}, {}).status(), kInvalid, "border");
  ExpectError(crop({0, 0, 0}, {}).status(), kInvalid, "border");
  ExpectError(crop({0, 0, 0, 0}, {1}).status(), kInvalid, "scale");
}

TEST(ExperimentalTest, DynamicSlice) {
  OpTest test = Of("DynamicSlice", Iota({2, 4}));
  test.Input(Ints({0, 1})).Input(Ints({-1, 1000}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 3}, {1, 2, 3}));
  OpTest axes = Of("DynamicSlice", Iota({2, 4}));
  axes.Input(Tensor::Of<int32_t>({1}, {-2})).Input(Tensor::Of<int32_t>({1}, {4}));
  axes.Input(Tensor::Of<int32_t>({1}, {1}));
  ExpectTensor(axes.Run(), Tensor::Of<float>({2, 2}, {2, 3, 6, 7}));
}

// Values: onnxruntime 1.31.
TEST(ExperimentalTest, MeanVarianceNormalization) {
  const Tensor x = Iota({2, 2, 1, 1});
  const auto normalize = [&](int across, int variance) {
    return Of("MeanVarianceNormalization", x, 8)
        .Attr("across_channels", across)
        .Attr("normalize_variance", variance)
        .Run();
  };
  ExpectTensor(normalize(0, 0), Tensor::Of<float>({2, 2, 1, 1}, {-1, -1, 1, 1}));
  ExpectTensor(normalize(0, 1), Tensor::Of<float>({2, 2, 1, 1}, {-1, -1, 1, 1}));
  ExpectTensor(normalize(1, 0), Tensor::Of<float>({2, 2, 1, 1}, {-1.5f, -0.5f, 0.5f, 1.5f}));
  ExpectTensor(normalize(1, 1),
               Tensor::Of<float>({2, 2, 1, 1}, {-1.3416407f, -0.4472136f, 0.4472136f, 1.3416407f}),
               1e-6);
}

TEST(ExperimentalTest, ThresholdedRelu) {
  ExpectTensor(Of("ThresholdedRelu", Floats({1, 2, 3}), 8).Attr("alpha", 2.0f).Run(),
               Floats({0, 0, 3}));
}

// Values: NumPy, after Caffe2's definition: h * sigmoid(u) + tanh(o) * (1 - sigmoid(u)).
TEST(ExperimentalTest, GruUnit) {
  const auto unit = [](int drop_states) {
    OpTest test("GRUUnit", 1);
    test.Attr("drop_states", drop_states).Input(Tensor::Of<float>({1, 2, 1}, {0.5f, 2}));
    test.Input(Tensor::Of<float>({1, 2, 3}, {9, 1, -1, 9, 1, -1}));
    test.Input(Floats({3, 2})).Input(Floats({2}));
    return test.Run();
  };
  const float hidden = 0.16070507f;
  ExpectTensor(unit(0), Tensor::Of<float>({1, 2, 1}, {hidden, 2}), 1e-6);
  ExpectTensor(unit(1), Tensor::Of<float>({1, 2, 1}, {hidden, 0}), 1e-6);
  OpTest wrong("GRUUnit", 1);
  wrong.Input(Iota({1, 2, 1})).Input(Iota({1, 2, 4})).Input(Iota({2})).Input(Floats({0}));
  ExpectError(wrong.Run().status(), kInvalid, "do not fit");
}

TEST(ExperimentalTest, GivenTensorFill) {
  const std::vector<float> values = {1, 2, 3, 4};
  OpTest by_attribute("GivenTensorFill", 1);
  by_attribute.Attr("values", values).Attr("shape", std::vector<int64_t>{2, 2});
  ExpectTensor(by_attribute.Run(), Tensor::Of<float>({2, 2}, values));
  OpTest by_input("GivenTensorFill", 1);
  by_input.Attr("values", values).Attr("extra_shape", std::vector<int64_t>{2}).Input(Iota({2}));
  ExpectTensor(by_input.Run(), Tensor::Of<float>({2, 2}, values));
  OpTest as_shape("GivenTensorFill", 1);
  as_shape.Attr("values", values).Attr("input_as_shape", 1).Input(Floats({1, 4}));
  ExpectTensor(as_shape.Run(), Tensor::Of<float>({1, 4}, values));
  OpTest wrong("GivenTensorFill", 1);
  wrong.Attr("values", values).Attr("input_as_shape", 1).Input(Floats({1, kNaN}));
  ExpectError(wrong.Run().status(), kInvalid, "as a dimension");
  OpTest few("GivenTensorFill", 1);
  few.Attr("values", values).Attr("shape", std::vector<int64_t>{-4});
  ExpectError(few.Run().status(), kInvalid, "4 values");
}

// Operators that onnxruntime leaves in models that it saved for a device.
TEST(ExperimentalTest, CopiesBetweenDevices) {
  ExpectTensor(Of("MemcpyToHost", Floats({1, 2}), 21).Run(), Floats({1, 2}));
  ExpectTensor(Of("MemcpyFromHost", Floats({1, 2}), 21).Run(), Floats({1, 2}));
}

}  // namespace
}  // namespace onnxcmp::testing
