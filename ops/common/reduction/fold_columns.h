// Folding rows of memory column by column, in registers: what pools and reductions of outer axes
// share.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_FOLD_COLUMNS_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_FOLD_COLUMNS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {

// The value of a column as it is.
struct AsFolded {
  template <typename V, typename... Position>
  V operator()(V folded, Position...) const {
    return folded;
  }
};

// Folds kVectors vectors V of columns: those at t, t + kSize, ..., but the last one at `last`. Null
// `start`s are the identity, null centers 0.
template <typename Fold, typename V, int kVectors, typename C>
inline __attribute__((always_inline)) void FoldVectors(const C* base, const int64_t* offsets,
                                                       int64_t count, int64_t t, int64_t last,
                                                       const std::type_identity_t<C>* start,
                                                       const std::type_identity_t<C>* centers,
                                                       V (&sums)[kVectors],
                                                       NaNWatch<Fold, V>& watch) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): V may be C itself.
  constexpr auto kSize = static_cast<int64_t>(sizeof(V) / sizeof(C));
  V of[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const int64_t at = v + 1 < kVectors ? t + v * kSize : last;
    sums[v] = V{} + Fold::template Identity<C>();
    of[v] = V{};
    if (start != nullptr) std::memcpy(&sums[v], start + at, sizeof(V));
    if (centers != nullptr) std::memcpy(&of[v], centers + at, sizeof(V));
  }
  for (int64_t r = 0; r < count; ++r) {
    const C* row = base + offsets[r];
    V loaded[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      std::memcpy(&loaded[v], row + (v + 1 < kVectors ? t + v * kSize : last), sizeof(V));
      sums[v] = Fold::Combine(sums[v], Fold::Map(loaded[v], of[v]));
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; v += 2) {
      watch.Show(loaded[v], loaded[std::min(v + 1, kVectors - 1)]);
    }
  }
}

// out[t] = finish(the elements base[offsets[0] + t], base[offsets[1] + t], ... folded in this
// order, mapped with centers[t], t). Null centers are all 0. Returns whether the result cannot be
// relied on, since the fold is an ordered one and there is a NaN. `out` must not overlap the rows.
template <typename Fold, typename C, int kBytes = 32, typename Finish = AsFolded>
bool FoldColumns(const C* base, const int64_t* offsets, int64_t count, int64_t width, C* out,
                 const std::type_identity_t<C>* centers = nullptr, const Finish& finish = {}) {
  using V [[gnu::vector_size(kBytes)]] = C;
  constexpr auto kSize = static_cast<int64_t>(sizeof(V) / sizeof(C));
  const auto fold = [&]<typename W, int kVectors>(int64_t t, int64_t last, bool* found)
      __attribute__((always_inline)) {
    W sums[kVectors];
    NaNWatch<Fold, W> watch;
    FoldVectors<Fold, W, kVectors>(base, offsets, count, t, last, nullptr, centers, sums, watch);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = v + 1 < kVectors ? t + v * kSize : last;
      const W value = finish(sums[v], at);
      std::memcpy(out + at, &value, sizeof(W));
    }
    *found |= watch.Found();
  };
  bool found = false;
  if (width >= kSize) {
    const int64_t last = width - kSize;  // the last vector overlaps the one before it
    int64_t t = 0;
    for (; t + 3 * kSize < width; t += 4 * kSize) {
      fold.template operator()<V, 4>(t, std::min(t + 3 * kSize, last), &found);
    }
    if (t + 2 * kSize < width) {
      fold.template operator()<V, 3>(t, last, &found);
    } else if (t + kSize < width) {
      fold.template operator()<V, 2>(t, last, &found);
    } else if (t < width) {
      fold.template operator()<V, 1>(t, last, &found);
    }
  } else if constexpr (kSize > 2) {
    return FoldColumns<Fold, C, kBytes / 2>(base, offsets, count, width, out, centers, finish);
  } else {
    for (int64_t t = 0; t < width; ++t) fold.template operator()<C, 1>(t, t, &found);
  }
  return found;
}

// The same, but the elements are folded onto what `out` holds.
template <typename Fold, typename C>
bool FoldColumnsOnto(const C* base, const int64_t* offsets, int64_t count, int64_t width, C* out,
                     const C* centers) {
  using V = typename FoldVector<C>::Type;
  constexpr int64_t kSize = FoldVector<C>::kSize;
  bool found = false;
  const auto fold = [&]<typename W, int kVectors>(int64_t t) __attribute__((always_inline)) {
    constexpr auto kBytes = static_cast<int64_t>(sizeof(W));
    W sums[kVectors];
    NaNWatch<Fold, W> watch;
    FoldVectors<Fold, W, kVectors>(base, offsets, count, t,
                                   t + (kVectors - 1) * kBytes / static_cast<int64_t>(sizeof(C)),
                                   out, centers, sums, watch);
    std::memcpy(out + t, sums, sizeof(sums));
    found |= watch.Found();
  };
  int64_t t = 0;
  for (; t + 4 * kSize <= width; t += 4 * kSize) fold.template operator()<V, 4>(t);
  for (; t + kSize <= width; t += kSize) fold.template operator()<V, 1>(t);
  for (; t < width; ++t) fold.template operator()<C, 1>(t);
  return found;
}

// Folds one vector of columns in the order of lane_fold.h: row r goes to accumulator r %
// kFoldWidth, and these are combined as a tree.
template <typename Fold, typename V, typename C>
inline __attribute__((always_inline)) void FoldVectorAsLanes(const C* base, const int64_t* offsets,
                                                             int64_t count, int64_t t,
                                                             const std::type_identity_t<C>* centers,
                                                             V& sum, NaNWatch<Fold, V>& watch) {
  V acc[kFoldWidth];
  V of{};
  if (centers != nullptr) std::memcpy(&of, centers + t, sizeof(V));
  const int64_t used = std::clamp<int64_t>(count, 1, kFoldWidth);
  for (int64_t k = 0; k < used; ++k) acc[k] = V{} + Fold::template Identity<C>();
  for (int64_t first = 0; first < count; first += kFoldWidth) {
    for (int64_t k = 0; k < std::min(kFoldWidth, count - first); ++k) {
      V loaded;
      std::memcpy(&loaded, base + offsets[first + k] + t, sizeof(V));
      acc[k] = Fold::Combine(acc[k], Fold::Map(loaded, of));
      watch.Show(loaded, loaded);
    }
  }
  int64_t left = used;
  for (int64_t half = kFoldWidth / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half && k + half < left; ++k) {
      acc[k] = Fold::Combine(acc[k], acc[k + half]);
    }
    left = std::min(left, half);
  }
  sum = acc[0];
}

// As FoldColumns, for columns that are lanes of at most kFoldBlock rows: in the order of
// lane_fold.h.
template <typename Fold, typename C, int kBytes = 32>
bool FoldColumnsAsLanes(const C* base, const int64_t* offsets, int64_t count, int64_t width,
                        const C* centers, C* out) {
  using V [[gnu::vector_size(kBytes)]] = C;
  constexpr auto kSize = static_cast<int64_t>(sizeof(V) / sizeof(C));
  bool found = false;
  const auto fold = [&]<typename W>(int64_t t, W sum) __attribute__((always_inline)) {
    NaNWatch<Fold, W> watch;
    FoldVectorAsLanes<Fold>(base, offsets, count, t, centers, sum, watch);
    std::memcpy(out + t, &sum, sizeof(W));
    found |= watch.Found();
  };
  if (width >= kSize) {  // the last vector overlaps the one before it
    for (int64_t t = 0; t < width; t += kSize) fold(std::min(t, width - kSize), V{});
  } else if constexpr (kSize > 2) {
    return FoldColumnsAsLanes<Fold, C, kBytes / 2>(base, offsets, count, width, centers, out);
  } else {
    for (int64_t t = 0; t < width; ++t) fold(t, C{});
  }
  return found;
}

// As FoldColumns, but the columns are dealt out in turn: column 2 i goes to even[i], 2 i + 1 to
// odd[i].
template <typename Fold, typename C>
bool DealColumns(const C* base, const int64_t* offsets, int64_t count, int64_t width, C* even,
                 C* odd) {
  using V = typename FoldVector<C>::Type;
  constexpr int64_t kSize = FoldVector<C>::kSize;
  NaNWatch<Fold, V> watch;
  const auto deal = [&](int64_t t) {
    V sums[2];
    FoldVectors<Fold, V, 2, C>(base, offsets, count, t, t + kSize, nullptr, nullptr, sums, watch);
    const V evens = EvenElements(sums[0], sums[1]);
    const V odds = OddElements(sums[0], sums[1]);
    std::memcpy(even + t / 2, &evens, sizeof(V));
    std::memcpy(odd + t / 2, &odds, sizeof(V));
  };
  int64_t t = 0;
  if (width >= 2 * kSize) {
    for (; t + 2 * kSize <= width; t += 2 * kSize) deal(t);
    if (t + 1 < width) {  // overlapping the pair before it
      t = width / 2 * 2;
      deal(t - 2 * kSize);
    }
  }
  bool found = watch.Found();
  if (t < width) {
    C rest[2 * kSize];
    found |= FoldColumns<Fold>(base + t, offsets, count, width - t, rest);
    for (int64_t i = t; i < width; ++i) (i % 2 == 0 ? even : odd)[i / 2] = rest[i - t];
  }
  return found;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_FOLD_COLUMNS_H_
