#include "ops/common/reduction/reduce.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "evaluator/tensor/convert.h"
#include "ops/common/reduction/fold_tensor.h"

namespace onnxcmp {
namespace {

// Folds into `out`, in the compute type C.
template <typename Fold, typename C>
void FoldInto(const ThreadPool& pool, const Tensor& x, const LaneGeometry& geometry, bool mean,
              Tensor& out) {
  std::vector<C> converted;
  C* results = nullptr;
  if (IsStoredAs<C>(out.dtype())) {
    results = out.mutable_data<C>();
  } else {
    converted.resize(static_cast<size_t>(geometry.kept.count));
    results = converted.data();
  }
  FoldTensor<Fold, C>(pool, x, geometry, nullptr, results);
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
void IntegerMean(const ThreadPool& pool, const Tensor& x, const LaneGeometry& geometry,
                 Tensor& out) {
  using Wide = std::conditional_t<std::is_signed_v<C>, __int128, unsigned __int128>;
  std::vector<C> high(static_cast<size_t>(geometry.kept.count));
  std::vector<C> low(high.size());
  FoldTensor<HighHalfFold, C>(pool, x, geometry, nullptr, high.data());
  FoldTensor<LowHalfFold, C>(pool, x, geometry, nullptr, low.data());
  for (size_t p = 0; p < high.size(); ++p) {
    const Wide sum = Wide{high[p]} * (Wide{1} << 32) + Wide{low[p]};
    high[p] = static_cast<C>(sum / geometry.reduced.count);
  }
  StoreElements(out.dtype(), high.data(), geometry.kept.count, out.mutable_raw_data(), 0);
}

// C: float or double.
template <typename C>
void ReduceFloats(const ThreadPool& pool, const Tensor& x, const LaneGeometry& geometry,
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
void ReduceIntegers(const ThreadPool& pool, const Tensor& x, const LaneGeometry& geometry,
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

// Fills in the result of a reduction of no elements.
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
  const LaneGeometry geometry = CollapseAxes(x, axes);
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
  const LaneGeometry geometry = CollapseAxes(x, axes);
  const C count = static_cast<C>(geometry.reduced.count);
  mean.resize(static_cast<size_t>(geometry.kept.count));
  variance.resize(mean.size());
  FoldTensor<SumFold, C>(pool, x, geometry, nullptr, mean.data());
  for (C& value : mean) {
    value /= count;
  }
  FoldTensor<SquaredDeviationFold, C>(pool, x, geometry, mean.data(), variance.data());
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
