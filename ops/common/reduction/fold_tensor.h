// Folding the lanes of any tensor along any axes: contiguous, strided, or side by side in rows; in
// C, whatever the elements are stored as. The order of lane_fold.h holds for all of them.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_FOLD_TENSOR_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_FOLD_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/reduction/fold_columns.h"
#include "ops/common/reduction/lane_fold.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {

// Some axes of a tensor, outermost first, without those of one element and with neighbours merged
// where a single stride describes them.
struct LaneDims {
  Shape sizes;
  Shape strides;
  int64_t count = 1;  // positions
};

// The innermost axis apart: runs of positions that are equally far apart. Without axes, a run of
// one.
struct InnermostSplit {
  LaneDims outer;
  int64_t run = 1;
  int64_t stride = 1;
};
inline InnermostSplit SplitInnermost(const LaneDims& dims) {
  InnermostSplit split = {dims};
  if (!dims.sizes.empty()) {
    split.run = dims.sizes.back();
    split.stride = dims.strides.back();
    split.outer.sizes.pop_back();
    split.outer.strides.pop_back();
    split.outer.count /= split.run;
  }
  return split;
}

// The offset of every position in row-major order.
class LaneWalker {
 public:
  explicit LaneWalker(const LaneDims& dims) : dims_(dims), index_(dims.sizes.size(), 0) {}
  LaneWalker(const LaneDims& dims, int64_t position) : LaneWalker(dims) {
    for (size_t i = dims.sizes.size(); i-- > 0;) {
      index_[i] = position % dims.sizes[i];
      position /= dims.sizes[i];
      offset_ += index_[i] * dims.strides[i];
    }
  }
  int64_t offset() const { return offset_; }
  void Next() {
    for (size_t i = dims_.sizes.size(); i-- > 0;) {
      offset_ += dims_.strides[i];
      if (++index_[i] < dims_.sizes[i]) {
        return;
      }
      offset_ -= dims_.sizes[i] * dims_.strides[i];
      index_[i] = 0;
    }
  }

 private:
  const LaneDims& dims_;
  Shape index_;
  int64_t offset_ = 0;
};

// A reduction's geometry: which offsets make a lane, and where the lanes begin.
struct LaneGeometry {
  LaneDims kept;
  LaneDims reduced;
  // The innermost axis of the tensor is kept: lanes are folded side by side.
  bool rows = false;
};

inline LaneGeometry CollapseAxes(const Tensor& x, const Axes& axes) {
  absl::InlinedVector<bool, 6> is_reduced(x.shape().size(), false);
  for (int axis : axes) {
    is_reduced[static_cast<size_t>(axis)] = true;
  }
  LaneGeometry geometry;
  bool last_reduced = true;
  bool first = true;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    const int64_t size = x.shape()[i];
    if (size == 1) {
      continue;
    }
    const int64_t stride = x.strides()[i];
    LaneDims& dims = is_reduced[i] ? geometry.reduced : geometry.kept;
    dims.count *= size;
    if (!first && last_reduced == is_reduced[i] && dims.strides.back() == stride * size) {
      dims.sizes.back() *= size;
      dims.strides.back() = stride;
    } else {
      dims.sizes.push_back(size);
      dims.strides.push_back(stride);
    }
    last_reduced = is_reduced[i];
    first = false;
  }
  // Short rows do not pay.
  geometry.rows = !first && !last_reduced && geometry.kept.strides.back() == 1 &&
                  geometry.kept.sizes.back() >= 4;
  return geometry;
}

// True if the storage of a type can be read as C where it is.
template <typename C>
bool IsStoredAs(DType dtype) {
  if constexpr (std::is_integral_v<C>) {
    return dtype == DType::kInt64 || dtype == DType::kUint64;
  } else {
    return dtype == kDTypeOf<C>;
  }
}

// One lane, gathered in blocks.
template <typename Fold, typename C>
C FoldStrided(const Tensor& x, int64_t base, const LaneDims& reduced, C center) {
  const auto [outer, run, stride] = SplitInnermost(reduced);  // elements are loaded in runs
  LaneWalker walker(outer);
  C block[kFoldBlock];
  BlockTree<Fold, C, 1> tree;
  int64_t in_run = 0;
  for (int64_t begin = 0; begin < reduced.count; begin += kFoldBlock) {
    const int64_t count = std::min(kFoldBlock, reduced.count - begin);
    for (int64_t filled = 0; filled < count;) {
      const int64_t part = std::min(run - in_run, count - filled);
      LoadStrided(x.dtype(), x.raw_data(), base + walker.offset() + in_run * stride, stride, part,
                  block + filled);
      filled += part;
      in_run += part;
      if (in_run == run) {
        in_run = 0;
        walker.Next();
      }
    }
    const C value = FoldBlock<Fold>(block, count, center);
    tree.Push(&value, 1);
  }
  C result;
  tree.Finish(&result, 1);
  return result;
}

// Neighbouring lanes, whose elements lie side by side in rows.
inline constexpr int64_t kRowWidth = 256;

// The rows of one accumulator that are added at a time: more of them would compete for the same
// places of the cache, for they lie apart by a power of two of rows.
inline constexpr int64_t kRowsAtOnce = 4;

// Folds a block of `rows` rows from a position on, in the same order as one lane alone. Returns
// what FoldColumns does. `loaded` is for elements of other types.
template <typename Fold, typename C>
bool FoldRowBlock(const Tensor& x, int64_t base, LaneWalker walker, int64_t rows, int64_t width,
                  const C* centers, std::vector<C>& loaded, C* acc) {
  const bool in_place = IsStoredAs<C>(x.dtype());
  const C* data = in_place ? x.data<C>() + base : loaded.data();
  bool found = false;
  for (int64_t first = 0; first < rows; first += kRowsAtOnce * kFoldWidth) {
    const int64_t count = std::min(kRowsAtOnce * kFoldWidth, rows - first);
    int64_t offsets[kFoldWidth][kRowsAtOnce];
    for (int64_t i = 0; i < count; ++i, walker.Next()) {
      int64_t& offset = offsets[i % kFoldWidth][i / kFoldWidth];
      offset = in_place ? walker.offset() : i * width;
      if (in_place) continue;
      LoadElements(x.dtype(), x.raw_data(), base + walker.offset(), width, loaded.data() + offset);
    }
    for (int64_t k = 0; k < std::min(count, kFoldWidth); ++k) {
      const int64_t of_this = (count - k + kFoldWidth - 1) / kFoldWidth;
      C* const to = acc + k * kRowWidth;
      found |= first == 0 ? FoldColumns<Fold>(data, offsets[k], of_this, width, to, centers)
                          : FoldColumnsOnto<Fold>(data, offsets[k], of_this, width, to, centers);
    }
  }
  FoldTree<Fold>(acc, std::min(rows, kFoldWidth), kRowWidth, width);
  return found;
}

template <typename Fold, typename C>
void FoldRows(const Tensor& x, int64_t base, int64_t width, const LaneDims& reduced,
              const C* centers, C* out) {
  alignas(32) C acc[kFoldWidth * kRowWidth];
  BlockTree<Fold, C, kRowWidth> tree;
  std::vector<C> loaded;
  if (!IsStoredAs<C>(x.dtype())) {
    const int64_t rows = std::min(reduced.count, kRowsAtOnce * kFoldWidth);
    loaded.resize(static_cast<size_t>(rows * width));
  }
  for (int64_t begin = 0; begin < reduced.count; begin += kFoldBlock) {
    const int64_t rows = std::min(kFoldBlock, reduced.count - begin);
    const LaneWalker walker(reduced, begin);
    if (FoldRowBlock<QuickFold<Fold, C>>(x, base, walker, rows, width, centers, loaded, acc)) {
      FoldRowBlock<Fold>(x, base, walker, rows, width, centers, loaded, acc);  // there is a NaN
    }
    tree.Push(acc, width);
  }
  tree.Finish(out, width);
}

// The widest rows whose lanes are folded all the way down before the next ones: the others share
// too few of a row's cache lines.
template <typename C>
inline constexpr int64_t kNarrowWidth = 4 * FoldVector<C>::kSize;

// Rows of lanes as narrow as that, one after the other, `outer` says where they begin.
template <typename Fold, typename C>
void FoldNarrowRows(const ThreadPool& pool, const C* data, const LaneDims& outer, int64_t width,
                    const LaneDims& reduced, const C* centers, C* results) {
  std::vector<int64_t> offsets;
  LaneWalker lane(reduced);
  for (int64_t i = 0; i < reduced.count; ++i, lane.Next()) offsets.push_back(lane.offset());
  pool.ParallelRanges(
      outer.count, LaneGrain(reduced.count * width, 1), [&](int64_t begin, int64_t end) {
        LaneWalker walker(outer, begin);
        for (int64_t row = begin; row < end; ++row, walker.Next()) {
          const auto fold = [&]<typename AnyFold>(const AnyFold&) {
            return FoldColumnsAsLanes<AnyFold>(
                data + walker.offset(), offsets.data(), reduced.count, width,
                centers == nullptr ? nullptr : centers + row * width, results + row * width);
          };
          if (fold(QuickFold<Fold, C>())) fold(Fold());  // there is a NaN
        }
      });
}

// Neighbouring lanes from position `begin` on, each contiguous.
template <typename Fold, typename C>
void FoldContiguous(const C* data, const LaneDims& kept, int64_t begin, int64_t end, int64_t length,
                    const C* centers, C* results) {
  const auto [outer, run, pitch] = SplitInnermost(kept);
  LaneWalker walker(outer, begin / run);
  for (int64_t p = begin; p < end; walker.Next()) {
    const int64_t in_run = p % run;
    const int64_t lanes = std::min(run - in_run, end - p);
    FoldLanes<Fold>(data + walker.offset() + in_run * pitch, pitch, lanes, length,
                    centers == nullptr ? nullptr : centers + p, results + p);
    p += lanes;
  }
}

// results[p]: the fold of the lane at kept position p. centers: a number for each, or null.
template <typename Fold, typename C>
void FoldTensor(const ThreadPool& pool, const Tensor& x, const LaneGeometry& geometry,
                const C* centers, C* results) {
  const LaneDims& kept = geometry.kept;
  const LaneDims& reduced = geometry.reduced;
  if (!geometry.rows) {
    const bool in_place = IsStoredAs<C>(x.dtype()) && reduced.sizes.size() <= 1 &&
                          (reduced.sizes.empty() || reduced.strides[0] == 1);
    pool.ParallelRanges(kept.count, LaneGrain(reduced.count, 1), [&](int64_t begin, int64_t end) {
      if (in_place) {
        FoldContiguous<Fold>(x.data<C>(), kept, begin, end, reduced.count, centers, results);
        return;
      }
      LaneWalker walker(kept, begin);
      for (int64_t p = begin; p < end; ++p, walker.Next()) {
        results[p] =
            FoldStrided<Fold>(x, walker.offset(), reduced, centers == nullptr ? C{0} : centers[p]);
      }
    });
    return;
  }
  const InnermostSplit split = SplitInnermost(kept);
  const LaneDims& outer = split.outer;
  const int64_t inner = split.run;
  if constexpr (std::is_floating_point_v<C>) {
    if (IsStoredAs<C>(x.dtype()) && inner <= kNarrowWidth<C> && reduced.count <= kFoldBlock) {
      return FoldNarrowRows<Fold>(pool, x.data<C>(), outer, inner, reduced, centers, results);
    }
  }
  const int64_t tiles_per_row = (inner + kRowWidth - 1) / kRowWidth;
  const int64_t tiles = outer.count * tiles_per_row;
  const int64_t grain = LaneGrain(reduced.count * std::min(inner, kRowWidth), 1);
  pool.ParallelRanges(tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t row = tile / tiles_per_row;
      const int64_t column = tile % tiles_per_row * kRowWidth;
      const int64_t first = row * inner + column;
      FoldRows<Fold>(x, LaneWalker(outer, row).offset() + column,
                     std::min(kRowWidth, inner - column), reduced,
                     centers == nullptr ? nullptr : centers + first, results + first);
    }
  });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_FOLD_TENSOR_H_
