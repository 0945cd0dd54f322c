// The innermost loop of every matrix product: a tile of C in registers.
//
// Vectors are GCC's vector extensions, so the code compiles for any processor. Only the fused
// multiply-add and the 8 x 8 transposition are written with intrinsics where the instruction set
// has them.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_TILE_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_TILE_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace onnxcmp::gemm_internal {

// Two int16 of neighbouring k: an element of the products of 8-bit integers.
struct Int16Pair {
  int16_t first;
  int16_t second;
};

// The type that a tile accumulates elements of type T in.
template <typename T>
struct AccumulatorOf {
  using Type = T;
};
template <>
struct AccumulatorOf<Int16Pair> {
  using Type = int32_t;
};
template <typename T>
using Accumulator = typename AccumulatorOf<T>::Type;

inline constexpr int kVectorBytes = 32;

template <typename T>
struct VectorOf {
  using Lane = std::conditional_t<std::is_same_v<T, Int16Pair>, int32_t, T>;
  using Type [[gnu::vector_size(kVectorBytes)]] = Lane;
};
template <typename T>
using Vector = typename VectorOf<T>::Type;

template <typename T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

// V: a vector of T of any width, gemm_tile_avx512.h's too. What is always inlined leaves no symbol
// that an object compiled for other instructions could share.
template <typename T, typename V>
inline __attribute__((always_inline)) void LoadVector(const T* from, V& to) {
  std::memcpy(&to, from, sizeof(V));
}

template <typename T>
inline __attribute__((always_inline)) void Broadcast(const T* from, Vector<T>& to) {
  typename VectorOf<T>::Lane x;
  std::memcpy(&x, from, sizeof(x));
  if constexpr (kLanes<T> == 8) {
    to = Vector<T>{x, x, x, x, x, x, x, x};
  } else {
    static_assert(kLanes<T> == 4);
    to = Vector<T>{x, x, x, x};
  }
}

// sum += a * b: fused for floats where the processor can (with -ffp-contract=off the compiler does
// not do that by itself); integers wrap; pairs add both of their products. Every path of a product
// goes through this function, or they would not agree to the bit.
template <typename T>
inline __attribute__((always_inline)) void MultiplyAdd(const Vector<T>& a, const Vector<T>& b,
                                                       Vector<T>& sum) {
#ifdef __FMA__
  if constexpr (std::is_same_v<T, float>) {
    sum = _mm256_fmadd_ps(a, b, sum);
    return;
  } else if constexpr (std::is_same_v<T, double>) {
    sum = _mm256_fmadd_pd(a, b, sum);
    return;
  }
#endif
  if constexpr (std::is_same_v<T, Int16Pair>) {
#ifdef __AVX2__
    // Exact: the products of two pairs are at most 2 * 255 * 255.
    sum = (Vector<T>)_mm256_add_epi32((__m256i)sum, _mm256_madd_epi16((__m256i)a, (__m256i)b));
#else
    for (int i = 0; i < kLanes<T>; ++i) {
      const int32_t x = a[i], y = b[i];
      const int32_t products = static_cast<int16_t>(x) * static_cast<int16_t>(y) +
                               static_cast<int16_t>(x >> 16) * static_cast<int16_t>(y >> 16);
      sum[i] =
          static_cast<int32_t>(static_cast<uint32_t>(sum[i]) + static_cast<uint32_t>(products));
    }
#endif
  } else {
    sum += a * b;
  }
}

// c = sum, or c += sum. V as in LoadVector.
template <typename T, typename V>
inline __attribute__((always_inline)) void StoreSum(const V& sum, Accumulator<T>* c, bool add) {
  V value = sum;
  if (add) {
    V old;
    std::memcpy(&old, c, sizeof(V));
    if constexpr (std::is_same_v<T, Int16Pair>) {
      using Wrapping [[gnu::vector_size(sizeof(V))]] = uint32_t;
      value = (V)((Wrapping)old + (Wrapping)sum);
    } else {
      value = old + sum;
    }
  }
  std::memcpy(c, &value, sizeof(V));
}

// C[i][j] = sum of A[i][k] * B[k][j] over `depth` values of k in ascending order, or C += that sum,
// for kRows rows and kVectors vectors of columns. Rows of A are `a_row` apart and contiguous in k;
// the rows of B are `b_row` apart and contiguous in j.
template <typename T, int kRows, int kVectors>
inline void Tile(int64_t depth, const T* a, int64_t a_row, const T* b, int64_t b_row,
                 Accumulator<T>* c, int64_t c_row, bool add) {
  Vector<T> sums[kRows][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k, b += b_row) {
    Vector<T> columns[kVectors];
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) LoadVector<T>(b + j * kLanes<T>, columns[j]);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      Vector<T> row;
      Broadcast<T>(a + i * a_row + k, row);
#pragma GCC unroll 16
      for (int j = 0; j < kVectors; ++j) MultiplyAdd<T>(row, columns[j], sums[i][j]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kVectors; ++j) {
      StoreSum<T>(sums[i][j], c + i * c_row + j * kLanes<T>, add);
    }
  }
}

}  // namespace onnxcmp::gemm_internal

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_TILE_H_
