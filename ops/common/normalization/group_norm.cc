#include "ops/common/normalization/group_norm.h"

#include <algorithm>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/normalization/layer_norm.h"

namespace onnxcmp {
namespace {

// y = y * Sigmoid(y).
template <typename C>
void ApplySilu(C* y, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += vec::kMaxStrip) {
    Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>> strip(y + begin,
                                                         std::min(vec::kMaxStrip, count - begin));
    strip *= vec::Sigmoid(strip);
  }
}

template <typename C>
absl::StatusOr<Tensor> Normalize(const KernelContext& ctx, const Tensor& input,
                                 const GroupNormOptions& options) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.Contiguous(input));
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("the input must have batch and channels, not ", x.TypeString()));
  }
  const int64_t channels = x.dim(1);
  const int64_t groups = options.groups == 0 ? channels : options.groups;
  if (groups != 0 && channels % groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(channels, " channels cannot be cut into ", groups, " groups"));
  }
  const int64_t parameters = options.scales_groups ? groups : channels;
  OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor bias, LoadTensor<C>(ctx, ctx.Input(2)));
  for (const Tensor* parameter : {&scale, &bias}) {
    if (parameter->rank() != 1 || parameter->dim(0) != parameters) {
      return absl::InvalidArgumentError(absl::StrCat(
          parameter == &scale ? "scale" : "bias", " has shape [", ShapeToString(parameter->shape()),
          "], but there are ", parameters, options.scales_groups ? " groups" : " channels"));
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  if (x.num_elements() > 0) {
    const int64_t in_group = channels / groups;
    const int64_t width = x.num_elements() / (x.dim(0) * channels);
    const LaneShape lanes = {x.dim(0) * groups, in_group * width, 1};
    const auto epsilon = static_cast<C>(options.epsilon);
    TransformLanes<C>(ctx.pool(), x, lanes, y, [&](int64_t lane, const C* from, C* to) {
      const LaneStatistics<C> statistics = StandardizationOf(from, lanes.length, epsilon);
      const int64_t group = lane % groups;
      for (int64_t c = 0; c < in_group; ++c) {
        const int64_t at = options.scales_groups ? group : group * in_group + c;
        Row(to + c * width, width) = (ConstRow(from + c * width, width) - statistics.mean) *
                                         statistics.inv_std_dev * scale.data<C>()[at] +
                                     bias.data<C>()[at];
      }
      if (options.silu) ApplySilu(to, lanes.length);
    });
  }
  return y;
}

}  // namespace

absl::StatusOr<Tensor> NormalizeGroups(const KernelContext& ctx, const Tensor& x,
                                       const GroupNormOptions& options) {
  if (ComputeClassOf(x.dtype()) == ComputeClass::kDouble) return Normalize<double>(ctx, x, options);
  return Normalize<float>(ctx, x, options);
}

absl::Status EmitNormalizedGroups(KernelContext& ctx, const GroupNormOptions& options) {
  OC_ASSIGN_OR_RETURN(Tensor y, NormalizeGroups(ctx, ctx.Input(0), options));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace onnxcmp
