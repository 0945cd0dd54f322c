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

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "evaluator/base/fused_float.h"

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

#ifdef __aarch64__
// The same on both halves of vectors: f(a, b, c).
template <typename Half, typename V, typename F>
inline __attribute__((always_inline)) V OnHalves(const V& a, const V& b, const V& c, F f) {
  static_assert(2 * sizeof(Half) == sizeof(V));
  Half parts[3][2];
  std::memcpy(parts[0], &a, sizeof(V));
  std::memcpy(parts[1], &b, sizeof(V));
  std::memcpy(parts[2], &c, sizeof(V));
  const Half results[2] = {f(parts[0][0], parts[1][0], parts[2][0]),
                           f(parts[0][1], parts[1][1], parts[2][1])};
  V whole;
  std::memcpy(&whole, results, sizeof(V));
  return whole;
}
#endif

// sum += a * b: fused for floats (with -ffp-contract=off the compiler does not do that by itself),
// so that all processors give the same bits; integers wrap; pairs add both of their products. Every
// path of a product goes through this function, or they would not agree to the bit.
template <typename T>
inline __attribute__((always_inline)) void MultiplyAdd(const Vector<T>& a, const Vector<T>& b,
                                                       Vector<T>& sum) {
  if constexpr (std::is_same_v<T, float>) {
#if defined(__FMA__)
    sum = _mm256_fmadd_ps(a, b, sum);
#elif defined(__aarch64__)
    sum =
        OnHalves<float32x4_t>(a, b, sum, [](auto x, auto y, auto z) { return vfmaq_f32(z, x, y); });
#else
    for (int i = 0; i < kLanes<T>; ++i) sum[i] = FusedFloat(a[i], b[i], sum[i]);
#endif
  } else if constexpr (std::is_same_v<T, double>) {
#if defined(__FMA__)
    sum = _mm256_fmadd_pd(a, b, sum);
#elif defined(__aarch64__)
    sum =
        OnHalves<float64x2_t>(a, b, sum, [](auto x, auto y, auto z) { return vfmaq_f64(z, x, y); });
#else
    for (int i = 0; i < kLanes<T>; ++i) sum[i] = __builtin_fma(a[i], b[i], sum[i]);
#endif
  } else if constexpr (std::is_same_v<T, Int16Pair>) {
#if defined(__AVX2__)
    // Exact: the products of two pairs are at most 2 * 255 * 255.
    sum = (Vector<T>)_mm256_add_epi32((__m256i)sum, _mm256_madd_epi16((__m256i)a, (__m256i)b));
#elif defined(__aarch64__)
    sum = OnHalves<int16x8_t>(a, b, sum, [](int16x8_t x, int16x8_t y, int16x8_t z) {
      const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
      const int32x4_t high = vmull_high_s16(x, y);
      const int32x4_t all = vaddq_s32(vreinterpretq_s32_s16(z), vpaddq_s32(low, high));
      return vreinterpretq_s16_s32(all);
    });
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
