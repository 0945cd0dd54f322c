#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest RealFft(const char* op_type, const Tensor& x, int64_t signal_ndim) {
  OpTest test(op_type, 1, "com.microsoft");
  test.Attr("signal_ndim", signal_ndim).Input(x);
  return test;
}

// Values: NumPy's rfft and irfft.
TEST(ContribRfftTest, OneDimension) {
  const Tensor x = Tensor::Of<float>({2, 4}, {1, 2, 3, 5, 0, 1, 0, 0});
  const Tensor spectrum = Tensor::Of<float>({2, 3, 2}, {11, 0, -2, 3, -3, 0, 1, 0, 0, -1, -1, 0});
  ExpectTensor(RealFft("Rfft", x, 1).Run(), spectrum, 1e-6, 1e-6);
  ExpectTensor(RealFft("Irfft", spectrum, 1).Run(), x, 1e-6, 1e-6);
  ExpectTensor(RealFft("Rfft", Floats({1, 2, 3}), 1).Run(),
               Tensor::Of<float>({2, 2}, {6, 0, -1.5f, 0.8660254f}), 1e-6, 1e-6);
}

// Values: NumPy's rfftn and irfftn.
TEST(ContribRfftTest, TwoDimensions) {
  const Tensor x = Tensor::Of<double>({2, 2}, {1, 2, 3, 5});
  const Tensor spectrum = Tensor::Of<double>({2, 2, 2}, {11, 0, -3, 0, -5, 0, 1, 0});
  ExpectTensor(RealFft("Rfft", x, 2).Run(), spectrum, 1e-15, 1e-15);
  ExpectTensor(RealFft("Irfft", spectrum, 2).Run(), x, 1e-15, 1e-15);
}

TEST(ContribRfftTest, EmptyBatch) {
  ExpectTensor(RealFft("Rfft", Iota({0, 4}), 1).Run(), Iota({0, 3, 2}));
  ExpectTensor(RealFft("Irfft", Iota({0, 3, 2}), 1).Run(), Iota({0, 4}));
}

TEST(ContribRfftTest, WrongInputs) {
  ExpectError(RealFft("Rfft", Iota({0}), 1).Run().status(), kInvalid, "no element");
  ExpectError(RealFft("Rfft", Iota({2}), 2).Run().status(), kInvalid, "signal_ndim");
  ExpectError(RealFft("Rfft", Iota({2}), 0).Run().status(), kInvalid, "signal_ndim");
  ExpectError(RealFft("Irfft", Iota({2, 3}), 1).Run().status(), kInvalid, "imaginary parts");
  ExpectError(RealFft("Irfft", Iota({1, 2}), 1).Run().status(), kInvalid, "no element");
  ExpectError(RealFft("Rfft", Iota({2}), 1).Attr("onesided", 0).Run().status(), kUnimplemented,
              "onesided");
  ExpectError(RealFft("Rfft", Iota({2}), 1).Attr("normalized", 1).Run().status(), kUnimplemented,
              "normalized");
}

}  // namespace
}  // namespace onnxcmp::testing
