#include "ops/common/signal/fft.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "ops/common/elements/complex_product.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {
namespace {

using Complex = std::complex<double>;

// e^(-2 pi i numerator / denominator) for each of them. By our own functions: the last bits of the
// C library's sine and cosine are the processor's.
std::vector<Complex> Roots(const std::vector<size_t>& numerators, size_t denominator) {
  std::vector<double> sines;
  sines.reserve(numerators.size());
  for (const size_t numerator : numerators) {
    sines.push_back(-2 * std::numbers::pi * static_cast<double>(numerator) /
                    static_cast<double>(denominator));
  }
  const auto count = static_cast<int64_t>(sines.size());
  std::vector<double> cosines(sines.size());
  vec::Cos(sines.data(), count, cosines.data());
  vec::Sin(sines.data(), count, sines.data());
  std::vector<Complex> roots;
  roots.reserve(sines.size());
  for (size_t i = 0; i < sines.size(); ++i) roots.emplace_back(cosines[i], sines[i]);
  return roots;
}

}  // namespace

Fft::Fft(int64_t length) : length_(static_cast<size_t>(length)) {
  if ((length_ & (length_ - 1)) == 0) {
    std::vector<size_t> numerators(length_ / 2);
    std::iota(numerators.begin(), numerators.end(), size_t{0});
    roots_ = Roots(numerators, length_);
    return;
  }
  // n^2 modulo 2 * length, so that the angles stay exact.
  std::vector<size_t> squares;
  squares.reserve(length_);
  for (size_t n = 0, square = 0; n < length_; ++n) {
    squares.push_back(square);
    square = (square + 2 * n + 1) % (2 * length_);
  }
  chirp_ = Roots(squares, 2 * length_);
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
