// The discrete Fourier transform of any length in O(n log n).
#ifndef ONNXCMP_OPS_COMMON_SIGNAL_FFT_H_
#define ONNXCMP_OPS_COMMON_SIGNAL_FFT_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace onnxcmp {

// Tables for one length; transforms may run at the same time.
class Fft {
 public:
  explicit Fft(int64_t length);  // at least 1, and no more than fits into memory

  // x[k] becomes the sum over n of x[n] * e^(-2 pi i k n / length), or with + for the inverse,
  // which is divided by the length.
  void Transform(std::complex<double>* x, bool inverse) const;

 private:
  void TransformPowerOfTwo(std::complex<double>* x) const;
  void TransformAnyLength(std::complex<double>* x) const;

  size_t length_;
  std::vector<std::complex<double>> roots_;  // power of two: e^(-2 pi i k / length), half of them
  // Any other length, by Bluestein's algorithm: a convolution with a chirp.
  std::vector<std::complex<double>> chirp_;           // e^(-pi i n^2 / length)
  std::vector<std::complex<double>> chirp_spectrum_;  // of the conjugate, padded
  std::unique_ptr<Fft> padded_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_SIGNAL_FFT_H_
