// LRN, LpNormalization, MeanVarianceNormalization, RMSNormalization.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Rms(const Tensor& x, const Tensor& scale, int axis) {
  OpTest test("RMSNormalization", 23);
  test.Attr("axis", axis).Attr("epsilon", 0.0f).Input(x).Input(scale);
  return test;
}

TEST(RMSNormalization, LanesAndScales) {
  const Tensor x = Tensor::Of<float>({2, 2}, {7, 1, -1, 7});  // root mean squares: 5
  ExpectTensor(Rms(AsStridedView(x), Tensor::Of<float>({2}, {5, 10}), -1).Run(),
               Tensor::Of<float>({2, 2}, {7, 2, -1, 14}), 1e-6);
  ExpectTensor(Rms(x, Tensor::Of<float>({2, 1}, {5, 10}), 1).Run(),
               Tensor::Of<float>({2, 2}, {7, 1, -2, 14}), 1e-6);
  ExpectTensor(Rms(x, Tensor::Of<float>({}, {5}), -2).Run(), x, 1e-6);
}

TEST(RMSNormalization, TheResultHasTheTypeOfTheScale) {
  const Tensor x = Tensor::Of<float>({1, 2}, {700, 100});
  const Tensor one = Tensor::Of<float>({1}, {1});
  ExpectTensor(Rms(Convert(x, DType::kFloat16), one, 1).Run(),
               Tensor::Of<float>({1, 2}, {1.4f, 0.2f}), 1e-6);
  ExpectTensor(Rms(x, Convert(one, DType::kDouble), 1).Run(),
               Tensor::Of<double>({1, 2}, {1.4, 0.2}), 1e-15);
  ExpectTensor(Rms(x, Convert(one, DType::kBfloat16), 1).Run(),
               Convert(Tensor::Of<float>({1, 2}, {1.4f, 0.2f}), DType::kBfloat16));
}

TEST(RMSNormalization, EmptyAndWrong) {
  const Tensor one = Tensor::Of<float>({1}, {1});
  ExpectTensor(Rms(Tensor::Of<float>({2, 0}, {}), one, 1).Run(), Tensor::Of<float>({2, 0}, {}));
  ExpectTensor(Rms(Tensor::Of<float>({1, 2}, {0, 0}), one, 1).Run(),
               Tensor::Of<float>({1, 2}, {NAN, NAN}));
  ExpectError(Rms(one, Tensor::Of<float>({2}, {1, 1}), 0).Run().status(), kInvalid,
              "scale of shape [2] does not broadcast to [1]");
  ExpectError(Rms(one, one, 1).Run().status(), kInvalid, "axis 1 is out of range for rank 1");
  ExpectError(Rms(one, one, 0).Attr("stash_type", 6).Run().status(), kInvalid, "stash_type 6");
}

OpTest Lrn(int size, const Tensor& x) {
  OpTest test("LRN", 13);
  test.Attr("size", size).Attr("alpha", 2.0f).Attr("beta", 1.0f).Attr("bias", 1.0f).Input(x);
  return test;
}

// size 4: one channel before, two after it; Y = X / (1 + half the sum of squares).
TEST(LRN, WindowsOverChannels) {
  const Tensor x = Tensor::Of<float>({1, 4, 1}, {1, 2, 3, 4});
  const Tensor y = Tensor::Of<float>({1, 4, 1}, {1.0f / 8, 2.0f / 16, 3.0f / 15.5f, 4.0f / 13.5f});
  ExpectTensor(Lrn(4, x).Run(), y, 1e-6);
  ExpectTensor(Lrn(4, Convert(x, DType::kDouble)).Run(), Convert(y, DType::kDouble), 1e-6);
  ExpectTensor(Lrn(4, AsStridedView(x)).Run(), y, 1e-6);
  ExpectTensor(Lrn(1, x).Run(),
               Tensor::Of<float>({1, 4, 1}, {1.0f / 3, 2.0f / 9, 3.0f / 19, 4.0f / 33}), 1e-6);
}

TEST(LRN, SpecialValuesAndErrors) {
  ExpectTensor(Lrn(2, Tensor::Of<float>({1, 2, 2}, {1, NAN, 1, 1})).Run(),
               Tensor::Of<float>({1, 2, 2}, {1.0f / 3, NAN, 0.5f, 0.5f}), 1e-6);
  ExpectTensor(Lrn(2, Tensor::Of<float>({1, 0, 2}, {})).Run(), Tensor::Of<float>({1, 0, 2}, {}));
  const Tensor one = Tensor::Of<float>({1, 1}, {0.5f});
  OpTest huge("LRN", 1);
  huge.Attr("size", INT64_MAX).Input(one);
  ExpectTensor(huge.Run(), one);
  ExpectError(Lrn(0, one).Run().status(), kInvalid, "size must be positive, not 0");
  ExpectError(Lrn(1, Tensor::Of<float>({1}, {1})).Run().status(), kInvalid, "batch and channels");
}

OpTest Lp(const Tensor& x, int axis, int p) {
  OpTest test("LpNormalization", 22);
  test.Attr("axis", axis).Attr("p", p).Input(x);
  return test;
}

TEST(LpNormalization, AxesAndNorms) {
  const Tensor x = Tensor::Of<float>({2, 2}, {3, -4, 1, 0});
  ExpectTensor(Lp(x, -1, 2).Run(), Tensor::Of<float>({2, 2}, {0.6f, -0.8f, 1, 0}));
  ExpectTensor(Lp(AsStridedView(x), 0, 1).Run(), Tensor::Of<float>({2, 2}, {0.75f, -1, 0.25f, 0}));
  ExpectTensor(Lp(Convert(x, DType::kDouble), 1, 2).Run(),
               Tensor::Of<double>({2, 2}, {0.6, -0.8, 1, 0}), 1e-15);
  ExpectTensor(Lp(Tensor::Of<float>({1, 2}, {0, 0}), 1, 2).Run(),
               Tensor::Of<float>({1, 2}, {0, 0}));
  ExpectTensor(Lp(Tensor::Of<float>({2}, {NAN, 0}), 0, 1).Run(),
               Tensor::Of<float>({2}, {NAN, NAN}));
  ExpectError(Lp(x, 2, 1).Run().status(), kInvalid, "axis 2 is out of range for rank 2");
  ExpectError(Lp(x, 0, 3).Run().status(), kInvalid, "p must be 1 or 2, not 3");
}

OpTest Mvn(const Tensor& x, Int64s axes) {
  OpTest test("MeanVarianceNormalization", 13);
  test.Attr("axes", std::move(axes)).Input(x);
  return test;
}

TEST(MeanVarianceNormalization, OverAnyAxes) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 10, 3, 30});
  ExpectTensor(Mvn(x, {0}).Run(), Tensor::Of<float>({2, 2}, {-1, -1, 1, 1}), 1e-6);
  ExpectTensor(Mvn(AsStridedView(x), {-1}).Run(), Tensor::Of<float>({2, 2}, {-1, 1, -1, 1}), 1e-6);
  // The mean of squares less the square of the mean is 0 in float.
  ExpectTensor(Mvn(Tensor::Of<float>({2}, {100000, 100002}), {0}).Run(),
               Tensor::Of<float>({2}, {-1, 1}), 1e-6);
  ExpectTensor(Mvn(Tensor::Of<double>({2}, {5, 5}), {0}).Run(), Tensor::Of<double>({2}, {0, 0}));
  ExpectTensor(OpTest("MeanVarianceNormalization", 9)
                   .Input(Tensor::Of<float>({1, 2, 1, 2}, {1, 3, 5, 9}))
                   .Run(),
               Tensor::Of<float>({1, 2, 1, 2}, {-1, 1, -1, 1}), 1e-6);
  ExpectTensor(Mvn(Tensor::Of<float>({0, 2}, {}), {0}).Run(), Tensor::Of<float>({0, 2}, {}));
  ExpectError(Mvn(x, {2}).Run().status(), kInvalid, "axis 2 is out of range for rank 2");
}

}  // namespace
}  // namespace onnxcmp::testing
