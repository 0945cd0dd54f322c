#include "ops/common/reduce.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "evaluator/convert.h"
#include "ops/common/lane_fold.h"
#include "ops/common/lanes.h"

namespace onnxcmp {
namespace {

// Some axes of a tensor, outermost first, without those of one element and with neighbours merged
// where a single stride describes them.
struct Dims {
  Shape sizes;
  Shape strides;
  int64_t count = 1;  // positions
};

// The offset of every position in row-major order.
class Walker {
 public:
  explicit Walker(const Dims& dims) : dims_(dims), index_(dims.sizes.size(), 0) {}
  Walker(const Dims& dims, int64_t position) : Walker(dims) {
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
  const Dims& dims_;
  Shape index_;
  int64_t offset_ = 0;
};

// A reduction's geometry: which offsets make a lane, and where the lanes begin.
struct Geometry {
  Dims kept;
  Dims reduced;
  // The innermost axis of the tensor is kept: lanes are folded side by side.
  bool rows = false;
};

Geometry Collapse(const Tensor& x, const Axes& axes) {
  absl::InlinedVector<bool, 6> is_reduced(x.shape().size(), false);
  for (int axis : axes) {
    is_reduced[static_cast<size_t>(axis)] = true;
  }
  Geometry geometry;
  bool last_reduced = true;
  bool first = true;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    const int64_t size = x.shape()[i];
    if (size == 1) {
      continue;
    }
    const int64_t stride = x.strides()[i];
    Dims& dims = is_reduced[i] ? geometry.reduced : geometry.kept;
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

// Whether the storage of a type can be read as C where it is.
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
C FoldStrided(const Tensor& x, int64_t base, const Dims& reduced, C center) {
  Dims outer = reduced;  // all but the innermost axis, along which elements are loaded in runs
  int64_t run = 1;
  int64_t stride = 1;
  if (!reduced.sizes.empty()) {
    run = outer.sizes.back();
    stride = outer.strides.back();
    outer.sizes.pop_back();
    outer.strides.pop_back();
  }
  Walker walker(outer);
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

// Neighbouring lanes, whose elements lie side by side, in the same order as one lane alone.
constexpr int64_t kRowWidth = 256;

template <typename Fold, typename C>
void FoldRows(const Tensor& x, int64_t base, int64_t width, const Dims& reduced, const C* centers,
              C* out) {
  alignas(32) C acc[kFoldWidth * kRowWidth];
  C loaded[kRowWidth];
  BlockTree<Fold, C, kRowWidth> tree;
  Walker walker(reduced);
  // Rows lie too far apart for the processor to see what comes next.
  constexpr int64_t kAhead = 8;
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(C));
  Walker ahead(reduced, std::min(kAhead, reduced.count - 1));
  for (int64_t begin = 0; begin < reduced.count; begin += kFoldBlock) {
    const int64_t rows = std::min(kFoldBlock, reduced.count - begin);
    const int64_t used = std::min(rows, kFoldWidth);
    std::fill(acc, acc + used * kRowWidth, Fold::template Identity<C>());
    for (int64_t i = 0; i < rows; ++i) {
      const C* row = loaded;
      if (IsStoredAs<C>(x.dtype())) {
        row = x.data<C>() + base + walker.offset();
        const C* next = x.data<C>() + base + ahead.offset();
        for (int64_t t = 0; t < width; t += kLine) __builtin_prefetch(next + t);
        ahead.Next();
      } else {
        LoadElements(x.dtype(), x.raw_data(), base + walker.offset(), width, loaded);
      }
      FoldRow<Fold>(acc + i % kFoldWidth * kRowWidth, row, centers, width);
      walker.Next();
    }
    FoldTree<Fold>(acc, used, kRowWidth, width);
    tree.Push(acc, width);
  }
  tree.Finish(out, width);
}

// results[p]: the fold of the lane at kept position p. centers: a number for each, or null.
template <typename Fold, typename C>
void FoldLanes(const ThreadPool& pool, const Tensor& x, const Geometry& geometry, const C* centers,
               C* results) {
  const Dims& kept = geometry.kept;
  const Dims& reduced = geometry.reduced;
  if (!geometry.rows) {
    const C* data = IsStoredAs<C>(x.dtype()) ? x.data<C>() : nullptr;
    const bool in_place = data != nullptr && reduced.sizes.size() <= 1 &&
                          (reduced.sizes.empty() || reduced.strides[0] == 1);
    pool.ParallelRanges(kept.count, LaneGrain(reduced.count, 1), [&](int64_t begin, int64_t end) {
      Walker walker(kept, begin);
      for (int64_t p = begin; p < end; ++p, walker.Next()) {
        const C center = centers == nullptr ? C{0} : centers[p];
        results[p] = in_place ? FoldLane<Fold>(data + walker.offset(), reduced.count, center)
                              : FoldStrided<Fold>(x, walker.offset(), reduced, center);
      }
    });
    return;
  }
  Dims outer = kept;
  const int64_t inner = outer.sizes.back();
  outer.sizes.pop_back();
  outer.strides.pop_back();
  const int64_t tiles_per_row = (inner + kRowWidth - 1) / kRowWidth;
  const int64_t tiles = kept.count / inner * tiles_per_row;
  const int64_t grain = LaneGrain(reduced.count * std::min(inner, kRowWidth), 1);
  pool.ParallelRanges(tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t row = tile / tiles_per_row;
      const int64_t column = tile % tiles_per_row * kRowWidth;
      const int64_t first = row * inner + column;
      FoldRows<Fold>(x, Walker(outer, row).offset() + column, std::min(kRowWidth, inner - column),
                     reduced, centers == nullptr ? nullptr : centers + first, results + first);
    }
  });
}

// Folds into `out`, in the compute type C.
template <typename Fold, typename C>
void FoldInto(const ThreadPool& pool, const Tensor& x, const Geometry& geometry, bool mean,
              Tensor& out) {
  std::vector<C> converted;
  C* results = nullptr;
  if (IsStoredAs<C>(out.dtype())) {
    results = out.mutable_data<C>();
  } else {
    converted.resize(static_cast<size_t>(geometry.kept.count));
    results = converted.data();
  }
  FoldLanes<Fold, C>(pool, x, geometry, nullptr, results);
  if (mean) {
    const C count = static_cast<C>(geometry.reduced.count);
    for (int64_t p = 0; p < geometry.kept.count; ++p) {
      results[p] /= count;
    }
  }
  if (!converted.empty()) {
    StoreElements(out.dtype(), converted.data(), geometry.kept.count, out.mutable_raw_data(), 0);
  }
}

// The upper and the lower half of a 64-bit integer, summed apart so that no sum overflows.
struct HighHalfFold : SumFold {
  template <typename V, typename C>
  static V Map(V x, C) {
    return x >> 32;
  }
};
struct LowHalfFold : SumFold {
  template <typename V, typename C>
  static V Map(V x, C) {
    return x & 0xffffffff;
  }
};

struct AbsoluteSumFold : SumFold {
  template <typename V, typename C>
  static V Map(V x, C) {
    return x < 0 ? -x : x;
  }
};

// The bits of signed integers, read as unsigned ones.
struct AbsoluteSumOfBitsFold : SumFold {
  template <typename V, typename C>
  static V Map(V x, C) {
    const V sign = 0 - (x >> 63);
    return (x ^ sign) - sign;
  }
};

// The exact mean of integers, truncated. C: int64_t or uint64_t.
template <typename C>
void IntegerMean(const ThreadPool& pool, const Tensor& x, const Geometry& geometry, Tensor& out) {
  using Wide = std::conditional_t<std::is_signed_v<C>, __int128, unsigned __int128>;
  std::vector<C> high(static_cast<size_t>(geometry.kept.count));
  std::vector<C> low(high.size());
  FoldLanes<HighHalfFold, C>(pool, x, geometry, nullptr, high.data());
  FoldLanes<LowHalfFold, C>(pool, x, geometry, nullptr, low.data());
  for (size_t p = 0; p < high.size(); ++p) {
    const Wide sum = Wide{high[p]} * (Wide{1} << 32) + Wide{low[p]};
    high[p] = static_cast<C>(sum / geometry.reduced.count);
  }
  StoreElements(out.dtype(), high.data(), geometry.kept.count, out.mutable_raw_data(), 0);
}

// C: float or double.
template <typename C>
void ReduceFloats(const ThreadPool& pool, const Tensor& x, const Geometry& geometry,
                  Reduction reduction, Tensor& out) {
  switch (reduction) {
    case Reduction::kSum:
      return FoldInto<SumFold, C>(pool, x, geometry, false, out);
    case Reduction::kMean:
      return FoldInto<SumFold, C>(pool, x, geometry, true, out);
    case Reduction::kMax:
      return FoldInto<MaxFold, C>(pool, x, geometry, false, out);
    case Reduction::kMin:
      return FoldInto<MinFold, C>(pool, x, geometry, false, out);
    case Reduction::kProduct:
      return FoldInto<ProductFold, C>(pool, x, geometry, false, out);
    case Reduction::kAbsoluteSum:
      return FoldInto<AbsoluteSumFold, C>(pool, x, geometry, false, out);
    case Reduction::kSquareSum:
      return FoldInto<SquaredDeviationFold, C>(pool, x, geometry, false, out);
  }
}

// C: int64_t or uint64_t. What wraps around is computed unsigned.
template <typename C>
void ReduceIntegers(const ThreadPool& pool, const Tensor& x, const Geometry& geometry,
                    Reduction reduction, Tensor& out) {
  switch (reduction) {
    case Reduction::kSum:
      return FoldInto<SumFold, uint64_t>(pool, x, geometry, false, out);
    case Reduction::kMean:
      return IntegerMean<C>(pool, x, geometry, out);
    case Reduction::kMax:
      return FoldInto<MaxFold, C>(pool, x, geometry, false, out);
    case Reduction::kMin:
      return FoldInto<MinFold, C>(pool, x, geometry, false, out);
    case Reduction::kProduct:
      return FoldInto<ProductFold, uint64_t>(pool, x, geometry, false, out);
    case Reduction::kAbsoluteSum:
      return std::is_signed_v<C>
                 ? FoldInto<AbsoluteSumOfBitsFold, uint64_t>(pool, x, geometry, false, out)
                 : FoldInto<SumFold, uint64_t>(pool, x, geometry, false, out);
    case Reduction::kSquareSum:
      return FoldInto<SquaredDeviationFold, uint64_t>(pool, x, geometry, false, out);
  }
}

// What a reduction of no elements gives.
void FillEmpty(Reduction reduction, Tensor& out) {
  const DType dtype = out.dtype();
  const bool is_float = IsFloatingPoint(dtype);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double value = 0;
  uint64_t integer = 0;
  switch (reduction) {
    case Reduction::kMean:
      value = std::numeric_limits<double>::quiet_NaN();
      break;
    case Reduction::kMax:
      value = -kInfinity;
      integer = IsSignedInteger(dtype) ? static_cast<uint64_t>(IntegerMin(dtype)) : 0;
      break;
    case Reduction::kMin:
      value = kInfinity;
      integer = IsInteger(dtype) ? IntegerMax(dtype) : 1;  // 1: true
      break;
    case Reduction::kProduct:
      value = 1;
      integer = 1;
      break;
    default:
      break;
  }
  for (int64_t i = 0; i < out.num_elements(); ++i) {
    if (is_float) {
      StoreElements(dtype, &value, 1, out.mutable_raw_data(), i);
    } else {
      StoreElements(dtype, &integer, 1, out.mutable_raw_data(), i);
    }
  }
}

}  // namespace

Shape ReducedShape(const Tensor& x, const Axes& axes, bool keepdims) {
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      shape.push_back(x.dim(i));
    } else if (keepdims) {
      shape.push_back(1);
    }
  }
  return shape;
}

absl::StatusOr<Tensor> Reduce(const KernelContext& ctx, const Tensor& x, const Axes& axes,
                              bool keepdims, Reduction reduction) {
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(x.dtype(), ReducedShape(x, axes, keepdims)));
  if (out.num_elements() == 0) {
    return out;
  }
  if (x.num_elements() == 0) {
    FillEmpty(reduction, out);
    return out;
  }
  const Geometry geometry = Collapse(x, axes);
  switch (ComputeClassOf(x.dtype())) {
    case ComputeClass::kFloat:
      ReduceFloats<float>(ctx.pool(), x, geometry, reduction, out);
      return out;
    case ComputeClass::kDouble:
      ReduceFloats<double>(ctx.pool(), x, geometry, reduction, out);
      return out;
    case ComputeClass::kInt64:
      ReduceIntegers<int64_t>(ctx.pool(), x, geometry, reduction, out);
      return out;
    case ComputeClass::kUint64:
    case ComputeClass::kBool:
      ReduceIntegers<uint64_t>(ctx.pool(), x, geometry, reduction, out);
      return out;
    default:
      return absl::UnimplementedError(
          absl::StrCat("a reduction of ", absl::string_view(DTypeName(x.dtype()))));
  }
}

template <typename C>
void Moments(const ThreadPool& pool, const Tensor& x, const Axes& axes, std::vector<C>& mean,
             std::vector<C>& variance) {
  const Geometry geometry = Collapse(x, axes);
  const C count = static_cast<C>(geometry.reduced.count);
  mean.resize(static_cast<size_t>(geometry.kept.count));
  variance.resize(mean.size());
  FoldLanes<SumFold, C>(pool, x, geometry, nullptr, mean.data());
  for (C& value : mean) {
    value /= count;
  }
  FoldLanes<SquaredDeviationFold, C>(pool, x, geometry, mean.data(), variance.data());
  for (C& value : variance) {
    value /= count;
  }
}
template void Moments<float>(const ThreadPool&, const Tensor&, const Axes&, std::vector<float>&,
                             std::vector<float>&);
template void Moments<double>(const ThreadPool&, const Tensor&, const Axes&, std::vector<double>&,
                              std::vector<double>&);

Kernel ReduceKernel(const KernelInit& node, ReduceFunction reduce, int axes_input_since) {
  const bool keepdims = node.Flag("keepdims");
  const bool axes_are_input = node.version() >= axes_input_since;
  std::vector<int64_t> attribute;
  bool noop_with_empty_axes = false;
  if (axes_are_input) {
    noop_with_empty_axes = node.Flag("noop_with_empty_axes");
  } else {
    attribute = node.Ints("axes");
  }
  return [=, reduce = std::move(reduce)](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    std::vector<int64_t> given = attribute;
    if (axes_are_input && ctx.HasInput(1)) {
      OC_ASSIGN_OR_RETURN(given, ctx.IntsInput(1));
    }
    Axes axes;
    if (!given.empty()) {
      OC_ASSIGN_OR_RETURN(axes, NormalizeAxes(given, x.rank()));
    } else if (!noop_with_empty_axes) {
      for (int i = 0; i < x.rank(); ++i) {
        axes.push_back(i);
      }
    }
    OC_ASSIGN_OR_RETURN(Tensor out, reduce(ctx, x, axes, keepdims));
    return ctx.SetOutput(0, std::move(out));
  };
}

Kernel ReduceKernel(const KernelInit& node, Reduction reduction, int axes_input_since) {
  const bool keeps_one_element =
      reduction != Reduction::kAbsoluteSum && reduction != Reduction::kSquareSum;
  const auto reduce = [=](const KernelContext& ctx, const Tensor& x, const Axes& axes,
                          bool keepdims) -> absl::StatusOr<Tensor> {
    if (axes.empty() && keeps_one_element) {
      return x;
    }
    return Reduce(ctx, x, axes, keepdims, reduction);
  };
  return ReduceKernel(node, reduce, axes_input_since);
}

}  // namespace onnxcmp
