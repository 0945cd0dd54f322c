#include "ops/common/reduction/arg_reduce.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// Neighbouring lanes that are searched side by side.
constexpr int64_t kTile = 64;

template <bool kGreatest, bool kLast, typename C>
void SearchTile(const C* x, int64_t length, int64_t stride, int64_t width, int64_t* indices) {
  C best[kTile];
  std::copy(x, x + width, best);
  std::fill(indices, indices + width, 0);
  for (int64_t k = 1; k < length; ++k) {
    const C* row = x + k * stride;
    for (int64_t t = 0; t < width; ++t) {
      // The last one of equal elements (two NaNs are): unless the best is beyond this one.
      const bool takes =
          kLast ? !IsBeyond<kGreatest>(best[t], row[t]) : IsBeyond<kGreatest>(row[t], best[t]);
      best[t] = takes ? row[t] : best[t];
      indices[t] = takes ? k : indices[t];
    }
  }
}

// One contiguous lane: what is searched for is found first, which takes no more than comparing.
template <bool kGreatest, bool kLast, typename C>
int64_t SearchLane(const C* x, int64_t length) {
  const C best = FoldLane<std::conditional_t<kGreatest, MaxFold, MinFold>>(x, length);
  const auto is_best = [best](C value) {
    return (value == best) | ((value != value) & (best != best));
  };
  const auto holds_best = [&](int64_t begin, int64_t end) {
    bool any = false;
    for (int64_t k = begin; k < end; ++k) any |= is_best(x[k]);
    return any;
  };
  constexpr int64_t kBlock = 256;
  const int64_t blocks = (length + kBlock - 1) / kBlock;
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t begin = (kLast ? blocks - 1 - i : i) * kBlock;
    const int64_t end = std::min(begin + kBlock, length);
    if (!holds_best(begin, end)) continue;
    int64_t k = kLast ? end - 1 : begin;
    while (!is_best(x[k])) k += kLast ? -1 : 1;
    return k;
  }
  return 0;
}

template <bool kGreatest, bool kLast, typename C>
absl::Status Search(const KernelContext& ctx, const LaneShape& lanes, Tensor& indices) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  const C* from = x.data<C>();
  int64_t* to = indices.mutable_data<int64_t>();
  if (lanes.inner == 1) {
    ctx.pool().ParallelRanges(
        lanes.outer, LaneGrain(lanes.length, 1), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            to[i] = SearchLane<kGreatest, kLast>(from + i * lanes.length, lanes.length);
          }
        });
    return absl::OkStatus();
  }
  const int64_t tiles_per_row = (lanes.inner + kTile - 1) / kTile;
  const int64_t grain = LaneGrain(lanes.length * std::min(lanes.inner, kTile), 1);
  ctx.pool().ParallelRanges(lanes.outer * tiles_per_row, grain, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t outer = tile / tiles_per_row;
      const int64_t column = tile % tiles_per_row * kTile;
      SearchTile<kGreatest, kLast>(from + outer * lanes.length * lanes.inner + column, lanes.length,
                                   lanes.inner, std::min(kTile, lanes.inner - column),
                                   to + outer * lanes.inner + column);
    }
  });
  return absl::OkStatus();
}

}  // namespace

Kernel ArgReduceKernel(const KernelInit& node, bool greatest) {
  const int64_t axis_attribute = node.Int("axis");
  const bool keepdims = node.Flag("keepdims");
  const bool last = node.version() >= 12 && node.Flag("select_last_index");
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    // A scalar is searched like a vector of one element.
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_attribute, std::max(x.rank(), 1)));
    LaneShape lanes;
    Shape shape = x.shape();
    if (x.rank() > 0) {
      lanes = LanesAlong(x.shape(), axis);
      if (keepdims) {
        shape[static_cast<size_t>(axis)] = 1;
      } else {
        shape.erase(shape.begin() + axis);
      }
    }
    OC_ASSIGN_OR_RETURN(Tensor indices, ctx.Allocate(DType::kInt64, shape));
    if (indices.num_elements() > 0) {
      if (lanes.length == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("there is nothing to choose along axis ", axis, " of ", x.TypeString()));
      }
      OC_RETURN_IF_ERROR(Dispatch<Numbers>(x.dtype(), [&]<typename C>() {
        return greatest ? last ? Search<true, true, C>(ctx, lanes, indices)
                               : Search<true, false, C>(ctx, lanes, indices)
               : last ? Search<false, true, C>(ctx, lanes, indices)
                        : Search<false, false, C>(ctx, lanes, indices);
      }));
    }
    return ctx.SetOutput(0, std::move(indices));
  };
}

}  // namespace onnxcmp
