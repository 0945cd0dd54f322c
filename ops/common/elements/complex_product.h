// The product of two complex numbers, each operation rounded by itself. Where g++ 12 finds
// a * c - b * d beside a * d + b * c in a loop it fuses them, -ffp-contract=off or not, if the
// processor can (vfmaddsub): so the difference is written as the sum that it is not looking for. No
// care for infinities, which std::complex calls a function for.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTS_COMPLEX_PRODUCT_H_
#define ONNXCMP_OPS_COMMON_ELEMENTS_COMPLEX_PRODUCT_H_

#include <complex>

namespace onnxcmp {

inline std::complex<double> ComplexProduct(std::complex<double> a, std::complex<double> b) {
  using Pair [[gnu::vector_size(16)]] = double;
  using Signs [[gnu::vector_size(16)]] = long long;
  const Pair sums = Pair{a.real(), a.real()} * Pair{b.real(), b.imag()};
  const Pair crossed = Pair{a.imag(), a.imag()} * Pair{b.imag(), b.real()};
  constexpr Signs kFirst = {static_cast<long long>(1ULL << 63), 0};
  const Pair product = sums + reinterpret_cast<Pair>(reinterpret_cast<Signs>(crossed) ^ kFirst);
  return {product[0], product[1]};
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTS_COMPLEX_PRODUCT_H_
