#include <algorithm>
#include <utility>
#include <vector>

#include "evaluator/op_registry.h"
#include "ops/common/compute_class.h"
#include "ops/common/load_store.h"
#include "ops/common/pooling.h"

namespace onnxcmp {
namespace {

// How many taps of each window of a dimension lie in the input, or in the input and its padding.
// Windows that ceil_mode adds may reach beyond both.
template <typename C>
std::vector<C> CountTaps(const WindowDim& dim, bool with_padding) {
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

template <typename C>
absl::Status Pool(KernelContext& ctx, const WindowAttributes& attributes, bool with_padding) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(Windows windows, PlanPool(attributes, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, PoolShape(x, windows)));
  if (y.num_elements() > 0) {
    std::vector<std::vector<C>> counts;
    for (const WindowDim& dim : windows) counts.push_back(CountTaps<C>(dim, with_padding));
    OC_RETURN_IF_ERROR(DropPaddingTaps(&windows));
    const int64_t planes = x.dim(0) * x.dim(1);
    C* out = y.mutable_data<C>();
    FoldWindows<SumFold, C>(ctx.pool(), windows, planes, x.data<C>(), out);

    const int64_t width = windows.back().output;
    const int64_t rows = NumOutputs(windows) / width;
    ctx.pool().ParallelRanges(
        planes * rows, std::max<int64_t>(1, 32768 / width), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            C outer = 1;
            int64_t rest = row;
            for (size_t d = windows.size() - 1; d-- > 0; rest /= windows[d].output) {
              outer *= counts[d][static_cast<size_t>(rest % windows[d].output)];
            }
            const std::vector<C>& inner = counts.back();
            for (int64_t o = 0; o < width; ++o) {
              out[row * width + o] /= outer * inner[static_cast<size_t>(o)];
            }
          }
        });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// AveragePool (ai.onnx 1, 7, 10, 11, 19, 22): Y[n, c, o] = the mean of X[n, c]'s elements in window
// o; with count_include_pad (since 7) the padding counts as zeros, but not what windows of
// ceil_mode cover beyond it. The mean of padding alone, if that does not count, is NaN.
Kernel AveragePool(const KernelInit& node) {
  const bool with_padding = node.Int("count_include_pad", 0) != 0;
  return [attributes = WindowAttributes(node), with_padding](KernelContext& ctx) {
    return DispatchFloat(ctx.Input(0).dtype(),
                         [&]<typename C>() { return Pool<C>(ctx, attributes, with_padding); });
  };
}

}  // namespace

void RegisterAveragePool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "AveragePool", {1, 7, 10, 11, 19, 22}, AveragePool);
}

}  // namespace onnxcmp
