// DFT, STFT, MelWeightMatrix.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Dft(const Tensor& x, bool inverse, bool onesided) {
  OpTest test("DFT", 20);
  test.Attr("inverse", inverse ? 1 : 0).Attr("onesided", onesided ? 1 : 0).Input(x);
  return test;
}

// A transform of any length against its definition.
TEST(DFT, AnyLength) {
  for (int n : {1, 2, 3, 4, 5, 7, 12, 16, 31, 100}) {
    std::vector<double> x(2 * static_cast<size_t>(n));
    std::vector<double> want(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 11) - 5;
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < n; ++i) {
        const double angle = -2 * std::numbers::pi * (k * i % n) / n;
        const double re = x[2 * static_cast<size_t>(i)];
        const double im = x[2 * static_cast<size_t>(i) + 1];
        want[2 * static_cast<size_t>(k)] += re * std::cos(angle) - im * std::sin(angle);
        want[2 * static_cast<size_t>(k) + 1] += re * std::sin(angle) + im * std::cos(angle);
      }
    }
    const Tensor signal = Tensor::Of<double>({n, 2}, x);
    const Tensor spectrum = Tensor::Of<double>({n, 2}, want);
    ExpectTensor(Dft(signal, false, false).Run(), spectrum, 0, 1e-11);
    ExpectTensor(Dft(spectrum, true, false).Run(), signal, 0, 1e-12);
  }
}

TEST(DFT, RealSignalsAndHalfSpectra) {
  const Tensor x = Tensor::Of<float>({1, 4, 1}, {1, 2, 3, 5});
  ExpectTensor(Dft(AsStridedView(x), false, false).Run(),
               Tensor::Of<float>({1, 4, 2}, {11, 0, -2, 3, -3, 0, -2, -3}), 0, 1e-6);
  const Tensor half = Tensor::Of<float>({1, 3, 2}, {11, 0, -2, 3, -3, 0});
  ExpectTensor(Dft(x, false, true).Run(), half, 0, 1e-6);
  ExpectTensor(Dft(half, true, true).Run(), x, 0, 1e-6);
  // numpy.fft.irfft(spectrum, 5)
  ExpectTensor(
      Dft(half, true, true).Input(Tensor::Scalar<int32_t>(5)).Run(),
      Tensor::Of<float>({1, 5, 1}, {0.2f, 1.78233898f, 1.7710509f, 3.18173551f, 4.06487462f}),
      1e-6);
}

TEST(DFT, LengthAndAxis) {
  const Tensor x = Tensor::Of<float>({2, 2, 1}, {1, 2, 3, 4});
  const Tensor along_0 = Tensor::Of<float>({2, 2, 2}, {4, 0, 6, 0, -2, 0, -2, 0});
  OpTest test = Dft(x, false, false);
  ExpectTensor(test.NoInput().Input(Tensor::Scalar<int64_t>(-3)).Run(), along_0, 0, 1e-6);
  ExpectTensor(OpTest("DFT", 17).Attr("axis", 0).Input(x).Run(), along_0, 0, 1e-6);
  ExpectTensor(Dft(x, false, false).Input(Tensor::Scalar<int64_t>(1)).Run(),
               Tensor::Of<float>({2, 1, 2}, {1, 0, 3, 0}));
  ExpectTensor(Dft(x, false, true).Input(Tensor::Scalar<int64_t>(4)).Run(),
               Tensor::Of<float>({2, 3, 2}, {3, 0, 1, -2, -1, 0, 7, 0, 3, -4, -1, 0}), 0, 1e-6);
  ExpectTensor(Dft(Tensor::Of<float>({0, 3, 1}, {}), false, true).Run(),
               Tensor::Of<float>({0, 2, 2}, {}));
}

TEST(DFT, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  ExpectError(Dft(x, false, true).Run().status(), kInvalid, "needs a real input");
  ExpectError(Dft(x, false, false).Input(Tensor::Scalar<int64_t>(0)).Run().status(), kInvalid,
              "a transform of length 0");
  ExpectError(Dft(x, false, false).Input(Tensor::Scalar<int64_t>(INT64_MAX)).Run().status(),
              kInvalid, "a transform of length");
  ExpectError(Dft(x, false, false).NoInput().Input(Tensor::Scalar<int64_t>(1)).Run().status(),
              kInvalid, "holds the parts of complex numbers");
  ExpectError(Dft(Tensor::Of<float>({1, 3}, {1, 2, 3}), false, false).Run().status(), kInvalid,
              "must be 1 (real) or 2 (complex), not 3");
}

TEST(STFT, FramesAndWindows) {
  const Tensor x = Tensor::Of<float>({1, 5, 1}, {1, 2, 3, 4, 5});
  const auto run = [&](OpTest test) { return test.Run(); };
  OpTest test("STFT", 17);
  test.Input(AsStridedView(x)).Input(Tensor::Scalar<int64_t>(3));
  ExpectTensor(run(OpTest(test).Input(Tensor::Of<float>({2}, {1, -1}))),
               Tensor::Of<float>({1, 2, 2, 2}, {-1, 0, 3, 0, -1, 0, 9, 0}));
  ExpectTensor(run(OpTest(test).NoInput().Input(Tensor::Scalar<int64_t>(2)).Attr("onesided", 0)),
               Tensor::Of<float>({1, 2, 2, 2}, {3, 0, -1, 0, 9, 0, -1, 0}));
  ExpectTensor(run(OpTest("STFT", 17)
                       .Input(Tensor::Of<double>({1, 2, 2}, {1, 2, 3, 4}))
                       .Input(Tensor::Scalar<int32_t>(1))),
               Tensor::Of<double>({1, 1, 2, 2}, {4, 6, -2, -2}));
  // Without the last axis it is real.
  ExpectTensor(run(OpTest("STFT", 17)
                       .Input(AsStridedView(Tensor::Of<float>({1, 5}, {1, 2, 3, 4, 5})))
                       .Input(Tensor::Scalar<int64_t>(3))
                       .Input(Tensor::Of<float>({2}, {1, -1}))),
               Tensor::Of<float>({1, 2, 2, 2}, {-1, 0, 3, 0, -1, 0, 9, 0}));
  ExpectError(run(OpTest("STFT", 17)
                      .Input(Tensor::Of<float>({2}, {1, 2}))
                      .Input(Tensor::Scalar<int64_t>(1)))
                  .status(),
              kInvalid, "must be batch x length, and x 1 (real) or 2 (complex)");
  ExpectError(run(OpTest(test).NoInput().Input(Tensor::Scalar<int64_t>(6))).status(), kInvalid,
              "frames of 6 samples, 3 apart, of a signal of 5");
  ExpectError(
      run(OpTest(test).Input(Tensor::Of<float>({2}, {1, 1})).Input(Tensor::Scalar<int64_t>(3)))
          .status(),
      kInvalid, "with a window of 2");
}

// onnxruntime and ONNX's evaluator: two bands up to 8 kHz.
TEST(MelWeightMatrix, Triangles) {
  const auto run = [](int64_t bands, int64_t length, float low, float high) {
    return OpTest("MelWeightMatrix", 17)
        .Input(Tensor::Scalar<int64_t>(bands))
        .Input(Tensor::Scalar<int64_t>(length))
        .Input(Tensor::Scalar<int64_t>(16000))
        .Input(Tensor::Scalar<float>(low))
        .Input(Tensor::Scalar<float>(high));
  };
  const Tensor weights = Tensor::Of<float>({5, 2}, {1, 1, 0, 0.5f, 0, 0, 0, 0, 0, 0});
  ExpectTensor(run(2, 8, 0, 8000).Run(), weights);
  ExpectTensor(run(2, 8, 0, 8000).Attr("output_datatype", 11).Run(),
               Convert(weights, DType::kDouble));
  ExpectTensor(run(0, 0, 0, 0).Run(), Tensor::Of<float>({1, 0}, {}));
  ExpectError(run(-1, 8, 0, 1).Run().status(), kInvalid, "-1 bands");
  ExpectError(run(1, 8, 2, 1).Run().status(), kInvalid, "from 2 to 1 Hz");
  ExpectError(run(1, 8, 0, NAN).Run().status(), kInvalid, "Hz");
}

}  // namespace
}  // namespace onnxcmp::testing
