#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

struct Options {
  float alpha;
  float beta;
  float bias;
  int64_t size;
};

// One channel of a batch entry, `width` positions. `x` is the entry's first channel.
template <typename C>
void NormalizeChannel(const Options& options, int64_t channel, int64_t channels, int64_t width,
                      const C* x, C* y) {
  const int64_t below = (options.size - 1) / 2;
  const int64_t above = options.size - 1 - below;
  const int64_t first = channel - std::min(channel, below);
  const int64_t last = channel + std::min(channels - 1 - channel, above);
  const C factor = static_cast<C>(options.alpha) / static_cast<C>(options.size);
  C sums[vec::kMaxStrip];
  C beta[vec::kMaxStrip];
  std::fill_n(beta, vec::kMaxStrip, static_cast<C>(options.beta));
  for (int64_t begin = 0; begin < width; begin += vec::kMaxStrip) {
    const int64_t count = std::min(vec::kMaxStrip, width - begin);
    std::fill_n(sums, count, C{0});
    for (int64_t c = first; c <= last; ++c) {
      const C* from = x + c * width + begin;
      for (int64_t i = 0; i < count; ++i) sums[i] += from[i] * from[i];
    }
    for (int64_t i = 0; i < count; ++i) {
      sums[i] = static_cast<C>(options.bias) + factor * sums[i];
    }
    vec::Pow(sums, beta, count, sums);
    const C* from = x + channel * width + begin;
    C* to = y + channel * width + begin;
    for (int64_t i = 0; i < count; ++i) to[i] = from[i] / sums[i];
  }
}

template <typename C>
absl::Status Normalize(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have batch and channels, not ", x.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, x.shape()));
  if (x.num_elements() > 0) {
    const int64_t channels = x.dim(1);
    const int64_t planes = x.dim(0) * channels;
    const int64_t width = x.num_elements() / planes;
    OC_RETURN_IF_ERROR(CheckWork(ctx, static_cast<double>(x.num_elements()) *
                                          static_cast<double>(std::min(options.size, channels))));
    C* out = y.mutable_data<C>();
    ctx.pool().ParallelRanges(planes, std::max<int64_t>(1, 8192 / width),
                              [&](int64_t begin, int64_t end) {
                                for (int64_t plane = begin; plane < end; ++plane) {
                                  const int64_t entry = plane / channels * channels * width;
                                  NormalizeChannel(options, plane % channels, channels, width,
                                                   x.data<C>() + entry, out + entry);
                                }
                              });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// LRN (ai.onnx 1, 13): Y[n, c] = X[n, c] / (bias + alpha / size * sum of X[n, i]^2)^beta over the
// channels c - floor((size - 1) / 2) <= i <= c + ceil((size - 1) / 2) that there are.
absl::StatusOr<Kernel> Lrn(const KernelInit& node) {
  const Options options = {node.Float("alpha"), node.Float("beta"), node.Float("bias"),
                           node.Int("size")};
  if (options.size < 1) {
    return absl::InvalidArgumentError(absl::StrCat("size must be positive, not ", options.size));
  }
  return FloatKernel(
      0, [options]<typename C>(KernelContext& ctx) { return Normalize<C>(ctx, options); });
}

}  // namespace

void RegisterLrn(OpRegistry& registry) { registry.Add(kOnnxDomain, "LRN", {1, 13}, Lrn); }

}  // namespace onnxcmp
