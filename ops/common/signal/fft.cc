#include "ops/common/signal/fft.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "ops/common/elements/complex_product.h"

namespace onnxcmp {
namespace {

using Complex = std::complex<double>;

// e^(-2 pi i numerator / denominator).
Complex Root(size_t numerator, size_t denominator) {
  const double angle =
      -2 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

Fft::Fft(int64_t length) : length_(static_cast<size_t>(length)) {
  if ((length_ & (length_ - 1)) == 0) {
    for (size_t k = 0; k < length_ / 2; ++k) roots_.push_back(Root(k, length_));
    return;
  }
  // n^2 modulo 2 * length, so that the angles stay exact.
  for (size_t n = 0, square = 0; n < length_; ++n) {
    chirp_.push_back(Root(square, 2 * length_));
    square = (square + 2 * n + 1) % (2 * length_);
  }
  size_t padded = 1;
  while (padded < 2 * length_ - 1) padded *= 2;
  padded_ = std::make_unique<Fft>(static_cast<int64_t>(padded));
  chirp_spectrum_.resize(padded);
  for (size_t n = 0; n < length_; ++n) {
    chirp_spectrum_[n] = std::conj(chirp_[n]);
    chirp_spectrum_[(padded - n) % padded] = std::conj(chirp_[n]);
  }
  padded_->TransformPowerOfTwo(chirp_spectrum_.data());
}

void Fft::Transform(Complex* x, bool inverse) const {
  const auto transform = [this](Complex* values) {
    if (padded_ == nullptr) {
      TransformPowerOfTwo(values);
    } else {
      TransformAnyLength(values);
    }
  };
  if (!inverse) return transform(x);
  // The inverse is the transform of the conjugate, conjugated.
  for (size_t i = 0; i < length_; ++i) x[i] = std::conj(x[i]);
  transform(x);
  const auto count = static_cast<double>(length_);
  for (size_t i = 0; i < length_; ++i) x[i] = std::conj(x[i]) / count;
}

void Fft::TransformPowerOfTwo(Complex* x) const {
  for (size_t i = 1, reversed = 0; i < length_; ++i) {
    size_t bit = length_ / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) std::swap(x[i], x[reversed]);
  }
  for (size_t half = 1; half < length_; half *= 2) {
    const size_t step = length_ / (2 * half);
    for (size_t begin = 0; begin < length_; begin += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const Complex odd = ComplexProduct(x[begin + half + k], roots_[k * step]);
        const Complex even = x[begin + k];
        x[begin + k] = even + odd;
        x[begin + half + k] = even - odd;
      }
    }
  }
}

void Fft::TransformAnyLength(Complex* x) const {
  std::vector<Complex> padded(chirp_spectrum_.size());
  for (size_t n = 0; n < length_; ++n) padded[n] = ComplexProduct(x[n], chirp_[n]);
  padded_->Transform(padded.data(), false);
  for (size_t k = 0; k < padded.size(); ++k)
    padded[k] = ComplexProduct(padded[k], chirp_spectrum_[k]);
  padded_->Transform(padded.data(), true);
  for (size_t k = 0; k < length_; ++k) x[k] = ComplexProduct(padded[k], chirp_[k]);
}

}  // namespace onnxcmp
