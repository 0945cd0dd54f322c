#include <algorithm>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/check_shape.h"
#include "ops/contrib/hyper_connections/branches.h"

namespace onnxcmp {
namespace {

template <typename C>
using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
template <typename C>
using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;

// y += gates * x, `width` gates for `size` elements: one, or one each.
template <typename C>
void AddGated(const C* gates, int64_t width, const C* x, int64_t size, C* y) {
  if (width == 1) {
    Row<C>(y, size) += gates[0] * ConstRow<C>(x, size);
  } else {
    Row<C>(y, size) += ConstRow<C>(gates, size) * ConstRow<C>(x, size);
  }
}

template <typename C>
absl::Status PreMix(KernelContext& ctx, int64_t num_branches, C reduction_scale) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor streams, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor gates, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Branches branches, BranchesOf(streams, num_branches));
  OC_ASSIGN_OR_RETURN(const int64_t width,
                      GateWidth("pre_mix", gates, branches, /*may_be_flat=*/true));
  const int64_t count = branches.count;
  const int64_t size = branches.size;
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, branches.WithOuter({size})));
  C* out = y.mutable_data<C>();
  std::fill_n(out, y.num_elements(), C{0});  // of no branches
  ctx.pool().ParallelRanges(branches.rows, LaneGrain(count * size, 2),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t row = begin; row < end; ++row) {
                                for (int64_t c = row * count; c < (row + 1) * count; ++c) {
                                  AddGated(gates.data<C>() + c * width, width,
                                           streams.data<C>() + c * size, size, out + row * size);
                                }
                                Row<C>(out + row * size, size) *= reduction_scale;
                              }
                            });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// HyperConnectionPreMix (com.microsoft 1):
//   output[..., h] = reduction_scale * sum over c of streams[..., c, h] * pre_mix[..., c, h]
// streams are (..., C, H), or (..., C * H) with num_branches; pre_mix (..., C), (..., C, 1),
// (..., C, H), or (..., C * H) for flattened streams. The result has the type of the streams;
// narrow floats are computed in float and rounded once.
Kernel HyperConnectionPreMix(const KernelInit& node) {
  const int64_t num_branches = node.Int("num_branches");
  const float reduction_scale = node.Float("reduction_scale");
  return FloatKernel(0, [=]<typename C>(KernelContext& ctx) {
    return PreMix<C>(ctx, num_branches, reduction_scale);
  });
}

template <typename C>
absl::Status PostMix(KernelContext& ctx, int64_t num_branches) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor streams, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor block_output, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor gates, LoadTensor<C>(ctx, ctx.Input(2)));
  OC_ASSIGN_OR_RETURN(const Branches branches, BranchesOf(streams, num_branches));
  OC_ASSIGN_OR_RETURN(const int64_t width,
                      GateWidth("post_mix", gates, branches, /*may_be_flat=*/false));
  const int64_t count = branches.count;
  const int64_t size = branches.size;
  OC_RETURN_IF_ERROR(CheckShape("block_output", block_output, branches.WithOuter({size})));
  Tensor mix;
  if (ctx.HasInput(3)) {
    OC_ASSIGN_OR_RETURN(mix, LoadTensor<C>(ctx, ctx.Input(3)));
    OC_RETURN_IF_ERROR(CheckShape("stream_mix", mix, branches.WithOuter({count, count})));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, streams.shape()));
  C* out = y.mutable_data<C>();
  ctx.pool().ParallelRanges(branches.rows, LaneGrain(count * size, mix.defined() ? 2 * count : 4),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t row = begin; row < end; ++row) {
                                const C* from = streams.data<C>() + row * count * size;
                                for (int64_t k = 0; k < count; ++k) {
                                  C* to = out + (row * count + k) * size;
                                  if (mix.defined()) {
                                    std::fill_n(to, size, C{0});
                                    for (int64_t c = 0; c < count; ++c) {
                                      AddGated(mix.data<C>() + (row * count + c) * count + k, 1,
                                               from + c * size, size, to);
                                    }
                                  } else {
                                    std::copy_n(from + k * size, size, to);
                                  }
                                  AddGated(gates.data<C>() + (row * count + k) * width, width,
                                           block_output.data<C>() + row * size, size, to);
                                }
                              }
                            });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// HyperConnectionPostMix (com.microsoft 1):
//   output[..., k, h] = sum over c of stream_mix[..., c, k] * streams[..., c, h]
//                     + post_mix[..., k, h] * block_output[..., h]
// stream_mix is the identity if it is left out; post_mix (..., C), (..., C, 1) or (..., C, H). The
// rest is as in HyperConnectionPreMix.
Kernel HyperConnectionPostMix(const KernelInit& node) {
  const int64_t num_branches = node.Int("num_branches");
  return FloatKernel(0,
                     [=]<typename C>(KernelContext& ctx) { return PostMix<C>(ctx, num_branches); });
}

}  // namespace

void RegisterContribHyperConnection(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "HyperConnectionPreMix", {1}, HyperConnectionPreMix);
  registry.Add(kMicrosoftDomain, "HyperConnectionPostMix", {1}, HyperConnectionPostMix);
}

}  // namespace onnxcmp
