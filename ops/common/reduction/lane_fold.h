// Folding the elements of a lane into one value, in an order that depends on the lane's length
// alone: neither on where it lies, nor on its stride, nor on the number of threads.
//
// The order: a lane is cut into blocks of kFoldBlock elements. Within a block, element i goes to
// accumulator i % kFoldWidth; the accumulators are combined as a tree; the blocks' values are
// combined pairwise, as a binary counter carries. So the error of a sum of n floats grows with
// log(n), and contiguous lanes run at the speed of vector instructions.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_LANE_FOLD_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_LANE_FOLD_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Vectors are passed to inline functions only, so that their calling convention does not matter.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace onnxcmp {

inline constexpr int64_t kFoldWidth = 32;
inline constexpr int64_t kFoldBlock = 1024;

// Folds: Identity() is the value of no elements; Map is applied to each element first, with a
// number that is the lane's own. Map and Combine take scalars and vectors of C.

// A fold of the elements as they are.
struct AsTheyAre {
  template <typename V, typename C>
  static V Map(V x, C) {
    return x;
  }
};

// The sum.
struct SumFold : AsTheyAre {
  template <typename C>
  static C Identity() {
    return C{0};
  }
  template <typename V>
  static V Combine(V a, V b) {
    return a + b;
  }
};

// The product; of integers, which wrap around, as unsigned ones.
struct ProductFold : AsTheyAre {
  template <typename C>
  static C Identity() {
    return C{1};
  }
  template <typename V>
  static V Combine(V a, V b) {
    return a * b;
  }
};

// The sum of (x - center)^2.
struct SquaredDeviationFold : SumFold {
  template <typename V, typename C>
  static V Map(V x, C center) {
    V deviation = x - center;
    return deviation * deviation;
  }
};

// The greatest element; NaN if any element is NaN.
struct MaxFold : AsTheyAre {
  template <typename C>
  static C Identity() {
    return std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                : std::numeric_limits<C>::lowest();
  }
  template <typename V>
  static V Combine(V a, V b) {
    return ((b > a) | (b != b)) ? b : a;
  }
};

// The least element; NaN if any element is NaN.
struct MinFold : AsTheyAre {
  template <typename C>
  static C Identity() {
    return std::numeric_limits<C>::has_infinity ? std::numeric_limits<C>::infinity()
                                                : std::numeric_limits<C>::max();
  }
  template <typename V>
  static V Combine(V a, V b) {
    return ((b < a) | (b != b)) ? b : a;
  }
};

// The same for elements none of which is NaN: half the instructions.
struct OrderedMaxFold : MaxFold {
  template <typename V>
  static V Combine(V a, V b) {
    return b > a ? b : a;
  }
};
struct OrderedMinFold : MinFold {
  template <typename V>
  static V Combine(V a, V b) {
    return b < a ? b : a;
  }
};

// ---- the machinery ----

// A register's worth of C (GCC and Clang vectors: the optimizer needs no persuasion).
template <typename C>
struct FoldVector {
  using Type [[gnu::vector_size(32)]] = C;
  static constexpr int64_t kSize = 32 / static_cast<int64_t>(sizeof(C));
};

// The fold to try first. If it is not Fold itself, then it is an ordered one: what it gives is what
// Fold gives, unless a NaNWatch finds NaN among the elements.
template <typename Fold, typename C>
using QuickFold = std::conditional_t<
    std::is_floating_point_v<C> && std::is_same_v<Fold, MaxFold>, OrderedMaxFold,
    std::conditional_t<std::is_floating_point_v<C> && std::is_same_v<Fold, MinFold>, OrderedMinFold,
                       Fold>>;
template <typename Fold>
inline constexpr bool kIsOrdered =
    std::is_same_v<Fold, OrderedMaxFold> || std::is_same_v<Fold, OrderedMinFold>;

// Looks for NaN among elements (vectors V, or scalars) that an ordered fold takes; for other folds
// it does nothing.
template <typename Fold, typename V>
class NaNWatch {
 public:
  inline __attribute__((always_inline)) void Show(const V& x, const V& y) {
    if constexpr (kIsOrdered<Fold>) {
#ifdef __AVX2__
      if constexpr (std::is_same_v<V, FoldVector<float>::Type>) {  // both in one instruction
        found_ |= (Mask)_mm256_cmp_ps((__m256)x, (__m256)y, _CMP_UNORD_Q);
        return;
      } else if constexpr (std::is_same_v<V, FoldVector<double>::Type>) {
        found_ |= (Mask)_mm256_cmp_pd((__m256d)x, (__m256d)y, _CMP_UNORD_Q);
        return;
      }
#endif
      found_ |= (x != x) | (y != y);
    }
  }
  bool Found() const {
    if constexpr (!kIsOrdered<Fold>) return false;
#ifdef __AVX2__
    if constexpr (sizeof(Mask) == 32) {
      return _mm256_testz_si256((__m256i)found_, (__m256i)found_) == 0;
    }
#endif
    constexpr Mask kNone{};
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a mask is all bits.
    return std::memcmp(&found_, &kNone, sizeof(Mask)) != 0;
  }

 private:
  using Mask = decltype(V{} != V{});  // a mask, or bool
  Mask found_{};
};

// to[t] = Combine(a[t], b[t]) for t < width; `to` may be a or b.
template <typename Fold, typename C>
void CombineRows(const C* a, const C* b, int64_t width, C* to) {
  using V = typename FoldVector<C>::Type;
  constexpr int64_t kSize = FoldVector<C>::kSize;
  int64_t t = 0;
  for (; t + kSize <= width; t += kSize) {
    V x;
    V y;
    std::memcpy(&x, a + t, sizeof(V));
    std::memcpy(&y, b + t, sizeof(V));
    x = Fold::Combine(x, y);
    std::memcpy(to + t, &x, sizeof(V));
  }
  for (; t < width; ++t) to[t] = Fold::Combine(a[t], b[t]);
}

// Combines accumulators [0, used), rows of `width` values that lie `stride` apart, as the tree that
// all kFoldWidth would form; those beyond `used` hold the identity and would change nothing.
template <typename Fold, typename C>
void FoldTree(C* acc, int64_t used, int64_t stride, int64_t width) {
  for (int64_t half = kFoldWidth / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half && k + half < used; ++k) {
      CombineRows<Fold>(acc + k * stride, acc + (k + half) * stride, width, acc + k * stride);
    }
    used = std::min(used, half);
  }
}

// The elements of one vector as the end of that tree.
template <typename Fold, typename V>
auto FoldElements(V x) {
  if constexpr (sizeof(V) / sizeof(x[0]) == 8) {
    x = Fold::Combine(x, V(__builtin_shufflevector(x, x, 4, 5, 6, 7, 4, 5, 6, 7)));
    x = Fold::Combine(x, V(__builtin_shufflevector(x, x, 2, 3, 2, 3, 2, 3, 2, 3)));
    x = Fold::Combine(x, V(__builtin_shufflevector(x, x, 1, 1, 1, 1, 1, 1, 1, 1)));
  } else {
    x = Fold::Combine(x, V(__builtin_shufflevector(x, x, 2, 3, 2, 3)));
    x = Fold::Combine(x, V(__builtin_shufflevector(x, x, 1, 1, 1, 1)));
  }
  return x[0];
}

// Elements 0, 2, ... of a and those of b; elements 1, 3, ...
template <typename V>
inline __attribute__((always_inline)) V EvenElements(const V& a, const V& b) {
  if constexpr (sizeof(V) / sizeof(a[0]) == 8) {
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
  } else {
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
  }
}
template <typename V>
inline __attribute__((always_inline)) V OddElements(const V& a, const V& b) {
  if constexpr (sizeof(V) / sizeof(a[0]) == 8) {
    return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
  } else {
    return __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }
}

// Element i is FoldElements of vector i: as many vectors as they have elements, each folded in that
// order, all together.
template <typename Fold, typename V, int kSize>
inline __attribute__((always_inline)) V FoldElementsOfEach(const V (&x)[kSize]) {
  V half[kSize / 2];  // elements of x[i], then of x[i + kSize / 2]
  if constexpr (kSize == 8) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      half[i] =
          Fold::Combine(V(__builtin_shufflevector(x[i], x[i + 4], 0, 1, 2, 3, 8, 9, 10, 11)),
                        V(__builtin_shufflevector(x[i], x[i + 4], 4, 5, 6, 7, 12, 13, 14, 15)));
    }
    V quarter[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const V& a = half[2 * i];
      const V& b = half[2 * i + 1];
      quarter[i] = Fold::Combine(V(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)),
                                 V(__builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)));
    }
    const V& a = quarter[0];
    const V& b = quarter[1];
    return Fold::Combine(V(__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14)),
                         V(__builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)));
  } else {
    static_assert(kSize == 4);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      half[i] = Fold::Combine(V(__builtin_shufflevector(x[i], x[i + 2], 0, 1, 4, 5)),
                              V(__builtin_shufflevector(x[i], x[i + 2], 2, 3, 6, 7)));
    }
    return Fold::Combine(V(__builtin_shufflevector(half[0], half[1], 0, 4, 2, 6)),
                         V(__builtin_shufflevector(half[0], half[1], 1, 5, 3, 7)));
  }
}

// Those elements of a vector for which the mask is all ones; nothing else is read.
template <typename V, typename Mask, typename C>
inline __attribute__((always_inline)) V LoadWhere(const Mask& mask, const C* x) {
#ifdef __AVX2__
  if constexpr (sizeof(C) == 4) {
    return (V)_mm256_maskload_ps(reinterpret_cast<const float*>(x), (__m256i)mask);
  } else {
    return (V)_mm256_maskload_pd(reinterpret_cast<const double*>(x), (__m256i)mask);
  }
#else
  V loaded{};
  for (size_t k = 0; k < sizeof(V) / sizeof(C); ++k) {
    if (mask[k] != 0) loaded[k] = x[k];
  }
  return loaded;
#endif
}

// The accumulators of a block of 1 to kFoldBlock contiguous elements, combined down to one vector:
// FoldElements of it is the block's value.
template <typename Fold, typename C, typename V = typename FoldVector<C>::Type>
inline __attribute__((always_inline)) V FoldToVector(const C* x, int64_t count, C center,
                                                     NaNWatch<Fold, V>& watch) {
  constexpr int64_t kSize = FoldVector<C>::kSize;
  constexpr int64_t kVectors = kFoldWidth / kSize;
  V sums[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) {
    sums[v] = V{} + Fold::template Identity<C>();
  }
  V loaded;
  int64_t i = 0;
  for (; i + kFoldWidth <= count; i += kFoldWidth) {
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) {
      std::memcpy(&loaded, x + i + v * kSize, sizeof(V));
      sums[v] = Fold::Combine(sums[v], Fold::Map(loaded, center));
      watch.Show(loaded, loaded);
    }
  }
#pragma GCC unroll 8
  for (int64_t v = 0; v < kVectors; ++v) {
    if (i + kSize <= count) {
      std::memcpy(&loaded, x + i, sizeof(V));
      sums[v] = Fold::Combine(sums[v], Fold::Map(loaded, center));
      watch.Show(loaded, loaded);
      i += kSize;
    } else if (i < count) {  // less than a vector: the other accumulators stay
      using Mask = decltype(V{} < V{});
      Mask index;
      for (int64_t k = 0; k < kSize; ++k) index[k] = static_cast<int>(k);
      const Mask is_element = index < Mask{} + static_cast<int>(count - i);
      loaded = LoadWhere<V>(is_element, x + i);
      sums[v] = is_element ? Fold::Combine(sums[v], Fold::Map(loaded, center)) : sums[v];
      watch.Show(loaded, loaded);
      i = count;
    }
  }
#pragma GCC unroll 8
  for (int64_t half = kVectors / 2; half > 0; half /= 2) {
    for (int64_t v = 0; v < half; ++v) sums[v] = Fold::Combine(sums[v], sums[v + half]);
  }
  return sums[0];
}

// The value of a block of 1 to kFoldBlock contiguous elements.
template <typename Fold, typename C>
C FoldBlock(const C* x, int64_t count, C center) {
  NaNWatch<Fold, typename FoldVector<C>::Type> watch;
  return FoldElements<Fold>(FoldToVector<Fold>(x, count, center, watch));
}

// Combines the values of blocks pairwise. Each value is a row of `width` lanes' values.
template <typename Fold, typename C, int64_t kWidth>
class BlockTree {
 public:
  // The values of the next block.
  void Push(const C* values, int64_t width) {
    alignas(32) C carry[kWidth];
    std::copy(values, values + width, carry);
    int level = 0;
    for (; (pushed_ >> level) & 1; ++level) {
      CombineRows<Fold>(levels_[level], carry, width, carry);
    }
    std::copy(carry, carry + width, levels_[level]);
    ++pushed_;
  }
  // The values of all blocks; the identity if there was none.
  void Finish(C* out, int64_t width) {
    bool first = true;
    for (int level = 0; (pushed_ >> level) != 0; ++level) {
      if (((pushed_ >> level) & 1) == 0) {
        continue;
      }
      if (first) {
        std::copy(levels_[level], levels_[level] + width, out);
      } else {
        CombineRows<Fold>(levels_[level], out, width, out);
      }
      first = false;
    }
    if (first) {
      std::fill(out, out + width, Fold::template Identity<C>());
    }
  }

 private:
  // More blocks than 2^50 do not fit into memory, whatever the element type.
  static constexpr int kLevels = 50;
  int64_t pushed_ = 0;
  alignas(32) C levels_[kLevels][kWidth];  // written before it is read
};

// The value of a contiguous lane.
template <typename Fold, typename C>
C FoldLane(const C* x, int64_t count, C center = C{0}) {
  if (count <= kFoldBlock) {
    return count == 0 ? Fold::template Identity<C>() : FoldBlock<Fold>(x, count, center);
  }
  BlockTree<Fold, C, 1> tree;
  for (int64_t i = 0; i < count; i += kFoldBlock) {
    C value = FoldBlock<Fold>(x + i, std::min(kFoldBlock, count - i), center);
    tree.Push(&value, 1);
  }
  C out;
  tree.Finish(&out, 1);
  return out;
}

// out[i] = FoldLane(x + i * pitch, count, centers[i]) for i < lanes; null centers are all 0.
template <typename Fold, typename C>
void FoldLanes(const C* x, int64_t pitch, int64_t lanes, int64_t count, const C* centers, C* out) {
  using Quick = QuickFold<Fold, C>;
  using V = typename FoldVector<C>::Type;
  constexpr int64_t kSize = FoldVector<C>::kSize;
  constexpr int64_t kShort = 128;  // where the end of the tree counts: it is taken for many lanes
  const auto center = [&](int64_t i) { return centers == nullptr ? C{0} : centers[i]; };
  int64_t i = 0;
  for (; count > 0 && count <= kShort && i + kSize <= lanes; i += kSize) {
    V ends[kSize];
    NaNWatch<Quick, V> watch;
    for (int64_t k = 0; k < kSize; ++k) {
      ends[k] = FoldToVector<Quick>(x + (i + k) * pitch, count, center(i + k), watch);
    }
    if (watch.Found()) {
      for (int64_t k = 0; k < kSize; ++k) {
        out[i + k] = FoldBlock<Fold>(x + (i + k) * pitch, count, center(i + k));
      }
    } else {
      const V values = FoldElementsOfEach<Quick>(ends);
      std::memcpy(out + i, &values, sizeof(V));
    }
  }
  for (; i < lanes; ++i) out[i] = FoldLane<Fold>(x + i * pitch, count, center(i));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_LANE_FOLD_H_
