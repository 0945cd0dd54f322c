#include "ops/common/convolution/pooling.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

// How many taps of each window of a dimension count.
template <typename C>
std::vector<C> CountTaps(const WindowDim& dim, PoolDivisor divisor) {
  if (divisor == PoolDivisor::kTaps) {
    return std::vector<C>(static_cast<size_t>(dim.output), static_cast<C>(dim.kernel));
  }
  const bool with_padding = divisor == PoolDivisor::kPadded;
  const int64_t low = with_padding ? -dim.pad_begin : 0;
  const int64_t high = with_padding ? dim.input + dim.pad_end : dim.input;
  std::vector<C> counts(static_cast<size_t>(dim.output));
  for (int64_t o = 0; o < dim.output; ++o) {
    const int64_t first = o * dim.stride - dim.pad_begin;
    const int64_t begin = first >= low ? 0 : (low - first + dim.dilation - 1) / dim.dilation;
    const int64_t end =
        high > first ? std::min(dim.kernel, (high - first - 1) / dim.dilation + 1) : 0;
    counts[static_cast<size_t>(o)] = static_cast<C>(std::max<int64_t>(0, end - begin));
  }
  return counts;
}

}  // namespace

absl::StatusOr<Windows> PlanPool(const WindowAttributes& attributes, const Tensor& x) {
  if (x.rank() < 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have a rank of at least 3, not ", x.TypeString()));
  }
  return attributes.Resolve(absl::MakeConstSpan(x.shape()).subspan(2), {},
                            WindowAttributes::Excess::kAtBothEnds);
}

Shape PoolShape(const Tensor& x, const Windows& windows) {
  Shape shape = {x.dim(0), x.dim(1)};
  for (const WindowDim& dim : windows) shape.push_back(dim.output);
  return shape;
}

absl::Status DropPaddingTaps(Windows* windows) {
  for (WindowDim& dim : *windows) {
    const int64_t ahead = dim.pad_begin - (dim.output - 1) * dim.stride;  // of the last window
    const int64_t behind = dim.pad_begin + dim.input;                     // of the first one
    int64_t begin = ahead > 0 ? (ahead + dim.dilation - 1) / dim.dilation : 0;
    int64_t end = behind > 0 ? std::min(dim.kernel, (behind - 1) / dim.dilation + 1) : 0;
    if (begin >= end) {  // nothing but padding: any one tap
      begin = std::min(begin, dim.kernel - 1);
      end = begin + 1;
    }
    if (end - begin > 4 * dim.input + 1024) {
      return absl::InvalidArgumentError(absl::StrCat("a kernel of ", dim.kernel, " for ", dim.input,
                                                     " elements is almost all padding"));
    }
    dim.pad_begin -= begin * dim.dilation;
    dim.kernel = end - begin;
  }
  return absl::OkStatus();
}

template <typename C>
absl::StatusOr<Tensor> AverageWindows(const KernelContext& ctx, const Tensor& x, Windows windows,
                                      PoolDivisor divisor, WindowOrder order) {
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, PoolShape(x, windows)));
  if (y.num_elements() == 0) return y;
  std::vector<std::vector<C>> counts;
  for (const WindowDim& dim : windows) counts.push_back(CountTaps<C>(dim, divisor));
  OC_RETURN_IF_ERROR(DropPaddingTaps(&windows));
  OC_RETURN_IF_ERROR(CheckWork(
      ctx, static_cast<double>(y.num_elements()) * static_cast<double>(NumTaps(windows))));
  // The taps that count without those of the last dimension, for every row of a plane.
  std::vector<C> row_counts(static_cast<size_t>(NumOutputs(windows) / windows.back().output), C{1});
  for (size_t row = 0; row < row_counts.size(); ++row) {
    int64_t rest = static_cast<int64_t>(row);
    for (size_t d = windows.size() - 1; d-- > 0; rest /= windows[d].output) {
      row_counts[row] *= counts[d][static_cast<size_t>(rest % windows[d].output)];
    }
  }
  const auto mean = [outer = row_counts.data(), inner = counts.back().data()]<typename V>(
                        V sum, int64_t row, int64_t o) {
    V taps;
    std::memcpy(&taps, inner + o, sizeof(V));
    return static_cast<V>(sum / (outer[row] * taps));
  };
  FoldWindows<SumFold, C>(ctx.pool(), windows, x.dim(0) * x.dim(1), x.data<C>(),
                          y.mutable_data<C>(), order, mean);
  return y;
}
template absl::StatusOr<Tensor> AverageWindows<float>(const KernelContext&, const Tensor&, Windows,
                                                      PoolDivisor, WindowOrder);
template absl::StatusOr<Tensor> AverageWindows<double>(const KernelContext&, const Tensor&, Windows,
                                                       PoolDivisor, WindowOrder);

absl::Status EmitAverages(KernelContext& ctx, const WindowAttributes& attributes,
                          PoolDivisor divisor) {
  const DType dtype = ctx.Input(0).dtype();
  return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Windows windows, PlanPool(attributes, ctx.Input(0)));
    OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
    OC_ASSIGN_OR_RETURN(Tensor y, AverageWindows<C>(ctx, x, windows, divisor));
    OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
    return ctx.SetOutput(0, std::move(y));
  });
}

template <typename C>
absl::Status GlobalPool(
    KernelContext& ctx,
    absl::FunctionRef<void(const C* x, int64_t planes, int64_t count, C* y)> fold) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have batch and channels, not ", x.TypeString()));
  }
  Shape shape(x.shape().size(), 1);
  shape[0] = x.dim(0);
  shape[1] = x.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  if (y.num_elements() > 0) {
    const int64_t length = x.num_elements() / y.num_elements();
    C* values = y.mutable_data<C>();
    ctx.pool().ParallelRanges(
        y.num_elements(), LaneGrain(length, 1), [&](int64_t begin, int64_t end) {
          fold(x.data<C>() + begin * length, end - begin, length, values + begin);
        });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

template absl::Status GlobalPool<float>(
    KernelContext&, absl::FunctionRef<void(const float*, int64_t, int64_t, float*)>);
template absl::Status GlobalPool<double>(
    KernelContext&, absl::FunctionRef<void(const double*, int64_t, int64_t, double*)>);

}  // namespace onnxcmp
