// Folding the elements of a lane into one value, in an order that depends on the lane's length
// alone: neither on where it lies, nor on its stride, nor on the number of threads.
//
// The order: a lane is cut into blocks of kFoldBlock elements. Within a block, element i goes to
// accumulator i % kFoldWidth; the accumulators are combined as a tree; the blocks' values are
// combined pairwise, as a binary counter carries. So the error of a sum of n floats grows with
// log(n), and contiguous lanes run at the speed of vector instructions.
#ifndef ONNXCMP_OPS_COMMON_LANE_FOLD_H_
#define ONNXCMP_OPS_COMMON_LANE_FOLD_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

// Vectors are passed to inline functions only, so that their calling convention does not matter.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace onnxcmp {

inline constexpr int64_t kFoldWidth = 32;
inline constexpr int64_t kFoldBlock = 1024;

// What is folded: Identity() is the value of no elements; Map is applied to each element first,
// with a number that is the lane's own. Map and Combine take scalars and vectors of C.
struct SumFold {
  template <typename C>
  static C Identity() {
    return C{0};
  }
  template <typename V, typename C>
  static V Map(V x, C) {
    return x;
  }
  template <typename V>
  static V Combine(V a, V b) {
    return a + b;
  }
};

// The product; of integers, which wrap around, as unsigned ones.
struct ProductFold {
  template <typename C>
  static C Identity() {
    return C{1};
  }
  template <typename V, typename C>
  static V Map(V x, C) {
    return x;
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
struct MaxFold {
  template <typename C>
  static C Identity() {
    return std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                : std::numeric_limits<C>::lowest();
  }
  template <typename V, typename C>
  static V Map(V x, C) {
    return x;
  }
  template <typename V>
  static V Combine(V a, V b) {
    return ((b > a) | (b != b)) ? b : a;
  }
};

// The least element; NaN if any element is NaN.
struct MinFold {
  template <typename C>
  static C Identity() {
    return std::numeric_limits<C>::has_infinity ? std::numeric_limits<C>::infinity()
                                                : std::numeric_limits<C>::max();
  }
  template <typename V, typename C>
  static V Map(V x, C) {
    return x;
  }
  template <typename V>
  static V Combine(V a, V b) {
    return ((b < a) | (b != b)) ? b : a;
  }
};

// ---- the machinery ----

// A register's worth of C (GCC and Clang vectors: the optimizer needs no persuasion).
template <typename C>
struct FoldVector {
  typedef C Type __attribute__((vector_size(32)));
  static constexpr int64_t kSize = 32 / static_cast<int64_t>(sizeof(C));
};

// acc[t] = Combine(acc[t], Map(x[t], centers[t])) for a row of lanes; centers may be null (all 0).
template <typename Fold, typename C>
void FoldRow(C* acc, const C* x, const C* centers, int64_t width) {
  using V = typename FoldVector<C>::Type;
  constexpr int64_t kSize = FoldVector<C>::kSize;
  int64_t t = 0;
  for (; t + kSize <= width; t += kSize) {
    V a;
    V b;
    V c{};
    std::memcpy(&a, acc + t, sizeof(V));
    std::memcpy(&b, x + t, sizeof(V));
    if (centers != nullptr) {
      std::memcpy(&c, centers + t, sizeof(V));
    }
    a = Fold::Combine(a, Fold::Map(b, c));
    std::memcpy(acc + t, &a, sizeof(V));
  }
  for (; t < width; ++t) {
    acc[t] = Fold::Combine(acc[t], Fold::Map(x[t], centers == nullptr ? C{0} : centers[t]));
  }
}

// out[v * kSize + t] for kVectors neighbouring vectors V, as FoldColumns has it.
template <typename Fold, typename V, int kVectors, typename C>
inline __attribute__((always_inline)) void FoldVectors(const C* const* rows, int64_t count,
                                                       int64_t t, C* out) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(V) / sizeof(C));
  V sums[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) sums[v] = V{} + Fold::template Identity<C>();
  for (int64_t r = 0; r < count; ++r) {
    const C* row = rows[r] + t;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      V loaded;
      std::memcpy(&loaded, row + v * kSize, sizeof(V));
      sums[v] = Fold::Combine(sums[v], Fold::Map(loaded, C{0}));
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) std::memcpy(out + t + v * kSize, &sums[v], sizeof(V));
}

// out[t] = the elements rows[0][t], rows[1][t], ... folded in this order, mapped with 0; the
// accumulators stay in registers. The last vector overlaps the one before it.
template <typename Fold, typename C, int kBytes = 32>
void FoldColumns(const C* const* rows, int64_t count, int64_t width, C* out) {
  typedef C V __attribute__((vector_size(kBytes)));
  constexpr auto kSize = static_cast<int64_t>(sizeof(V) / sizeof(C));
  if (width >= kSize) {
    int64_t t = 0;
    for (; t + 4 * kSize <= width; t += 4 * kSize) FoldVectors<Fold, V, 4>(rows, count, t, out);
    for (; t + kSize <= width; t += kSize) FoldVectors<Fold, V, 1>(rows, count, t, out);
    if (t < width) FoldVectors<Fold, V, 1>(rows, count, width - kSize, out);
  } else if constexpr (kSize > 2) {
    FoldColumns<Fold, C, kBytes / 2>(rows, count, width, out);
  } else {
    for (int64_t t = 0; t < width; ++t) FoldVectors<Fold, C, 1>(rows, count, t, out);
  }
}

// Combines accumulators [0, used), rows of `width` values that lie `stride` apart, as the tree that
// all kFoldWidth would form; those beyond `used` hold the identity and would change nothing.
template <typename Fold, typename C>
void FoldTree(C* acc, int64_t used, int64_t stride, int64_t width) {
  for (int64_t half = kFoldWidth / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half && k + half < used; ++k) {
      C* a = acc + k * stride;
      const C* b = acc + (k + half) * stride;
      for (int64_t t = 0; t < width; ++t) {
        a[t] = Fold::Combine(a[t], b[t]);
      }
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

// The value of a block of 1 to kFoldBlock contiguous elements.
template <typename Fold, typename C>
C FoldBlock(const C* x, int64_t count, C center) {
  using V = typename FoldVector<C>::Type;
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
    }
  }
#pragma GCC unroll 8
  for (int64_t v = 0; v < kVectors; ++v) {
    if (i + kSize <= count) {
      std::memcpy(&loaded, x + i, sizeof(V));
      sums[v] = Fold::Combine(sums[v], Fold::Map(loaded, center));
      i += kSize;
    } else if (i < count) {  // less than a vector: the other accumulators stay
      decltype(V{} < V{}) is_element;
      loaded = V{};
      for (int64_t k = 0; k < kSize; ++k) {
        is_element[k] = i + k < count ? -1 : 0;
        if (i + k < count) loaded[k] = x[i + k];
      }
      sums[v] = is_element ? Fold::Combine(sums[v], Fold::Map(loaded, center)) : sums[v];
      i = count;
    }
  }
#pragma GCC unroll 8
  for (int64_t half = kVectors / 2; half > 0; half /= 2) {
    for (int64_t v = 0; v < half; ++v) sums[v] = Fold::Combine(sums[v], sums[v + half]);
  }
  return FoldElements<Fold>(sums[0]);
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
      for (int64_t t = 0; t < width; ++t) {
        carry[t] = Fold::Combine(levels_[level][t], carry[t]);
      }
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
      for (int64_t t = 0; t < width; ++t) {
        out[t] = first ? levels_[level][t] : Fold::Combine(levels_[level][t], out[t]);
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

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_LANE_FOLD_H_
