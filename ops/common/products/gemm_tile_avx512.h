// The counterpart of gemm_tile.h with vectors of AVX-512, for gemm_kernels.cc where it is compiled
// for it.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_TILE_AVX512_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_TILE_AVX512_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "evaluator/base/instructions.h"
#include "ops/common/products/gemm_tile.h"

namespace onnxcmp::gemm_internal {
namespace ONNXCMP_INSTRUCTIONS {

inline constexpr int kVectorBytes = 64;

template <typename T>
struct WideVectorOf {
  using Type [[gnu::vector_size(kVectorBytes)]] = typename VectorOf<T>::Lane;
};
template <typename T>
using Vector = typename WideVectorOf<T>::Type;

template <typename T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <typename T>
inline __attribute__((always_inline)) void Broadcast(const T* from, Vector<T>& to) {
  typename VectorOf<T>::Lane x;
  std::memcpy(&x, from, sizeof(x));
  if constexpr (kLanes<T> == 16) {
    to = Vector<T>{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
  } else {
    to = Vector<T>{x, x, x, x, x, x, x, x};
  }
}

template <typename T>
inline __attribute__((always_inline)) void MultiplyAdd(const Vector<T>& a, const Vector<T>& b,
                                                       Vector<T>& sum) {
  if constexpr (std::is_same_v<T, float>) {
    sum = _mm512_fmadd_ps(a, b, sum);
  } else if constexpr (std::is_same_v<T, double>) {
    sum = _mm512_fmadd_pd(a, b, sum);
  } else if constexpr (std::is_same_v<T, Int16Pair>) {
#ifdef ONNXCMP_AVX512_VNNI
    sum = (Vector<T>)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#else
    sum = (Vector<T>)_mm512_add_epi32((__m512i)sum, _mm512_madd_epi16((__m512i)a, (__m512i)b));
#endif
  } else {
    sum += a * b;
  }
}

// As the other Tile, but vectors of B are b_vector apart.
template <typename T, int kRows, int kVectors>
inline void Tile(int64_t depth, const T* a, int64_t a_row, const T* b, int64_t b_row,
                 int64_t b_vector, Accumulator<T>* c, int64_t c_row, bool add) {
  // Every fourth row has a pointer of its own: there are not enough registers for all.
  constexpr int kStep = 4;
  constexpr int kPointers = (kRows + kStep - 1) / kStep;
  const T* rows[kPointers];
  for (int i = 0; i < kPointers; ++i) rows[i] = a + i * kStep * a_row;
  const int64_t offsets[kStep] = {0, a_row, 2 * a_row, 3 * a_row};
  Vector<T> sums[kRows][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k, b += b_row) {
    Vector<T> columns[kVectors];
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) LoadVector<T>(b + j * b_vector, columns[j]);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      Vector<T> row;
      Broadcast<T>(rows[i / kStep] + offsets[i % kStep], row);
#pragma GCC unroll 16
      for (int j = 0; j < kVectors; ++j) MultiplyAdd<T>(row, columns[j], sums[i][j]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kPointers; ++i) ++rows[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      StoreSum<T>(sums[i][j], c + i * c_row + j * kLanes<T>, add);
    }
  }
}

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp::gemm_internal

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_TILE_AVX512_H_
