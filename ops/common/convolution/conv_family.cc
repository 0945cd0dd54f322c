#include "ops/common/convolution/conv_family.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

template <typename T>
absl::Status RunConvIn(KernelContext& ctx, const ConvAttributes& attributes,
                       const Activation& activation) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<T>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<T>(ctx, ctx.Input(1)));
  Tensor bias;
  if (ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(bias, LoadTensor<T>(ctx, ctx.Input(2)));
  }
  OC_ASSIGN_OR_RETURN(ConvPlan plan, PlanConv(attributes, x, w, bias.defined() ? &bias : nullptr));
  OC_RETURN_IF_ERROR(CheckWork(ctx, ConvWork(plan)));
  Tensor z;
  if (ctx.HasInput(3)) {
    OC_ASSIGN_OR_RETURN(z, LoadTensor<T>(ctx, ctx.Input(3)));
    if (z.shape() != plan.output) {
      return absl::InvalidArgumentError(absl::StrCat("Z is ", z.TypeString(),
                                                     ", which is not the output's shape [",
                                                     ShapeToString(plan.output), "]"));
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<T>, plan.output));
  T* out = y.mutable_data<T>();

  const ConvolutionShape& shape = plan.shape;
  const T* b = bias.defined() ? bias.data<T>() : nullptr;
  const T* addend = z.defined() ? z.data<T>() : nullptr;
  const int64_t windows = NumOutputs(shape.windows);
  const auto finish = [&](const GemmBlock& block) {
    const int64_t count = block.column_end - block.column_begin;
    for (int64_t i = block.row_begin; i < block.row_end; ++i) {
      const int64_t plane = block.batch * shape.out_channels + i;
      const int64_t at = plane * windows + block.column_begin;
      if (b != nullptr) {
        const T offset = b[plane % (shape.groups * shape.out_channels)];
        for (int64_t j = 0; j < count; ++j) out[at + j] += offset;
      }
      if (addend != nullptr) {
        for (int64_t j = 0; j < count; ++j) out[at + j] += addend[at + j];
      }
      activation.Apply(out + at, count);
    }
  };
  const bool finishes = b != nullptr || addend != nullptr || !activation.is_identity();
  OC_RETURN_IF_ERROR(Convolve<T>(ctx.pool(), shape, x.data<T>(), w.data<T>(), out,
                                 finishes ? std::optional<GemmEpilogue>(finish) : std::nullopt));
  OC_ASSIGN_OR_RETURN(y, StoreTensor<T>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

absl::StatusOr<ConvAttributes> ConvAttributes::FromNode(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(WindowAttributes windows, WindowAttributes::FromNode(node));
  return ConvAttributes{std::move(windows), node.Int("group")};
}

absl::StatusOr<Activation> FusedConvActivation(const KernelInit& node) {
  const std::string name = node.String("activation", "");
  const std::vector<float> parameters = node.Floats("activation_params");
  for (const absl::string_view known :
       {"", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid", "HardSwish"}) {
    if (known == name) return Activation::Make(name, parameters);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no convolution is fused with the activation \"", name, "\""));
}

absl::StatusOr<ConvPlan> PlanConv(const ConvAttributes& attributes, const Tensor& x,
                                  const Tensor& w, const Tensor* bias) {
  const int64_t group = attributes.group;
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("X and W must have one rank of at least 3, not ",
                                                   x.TypeString(), " and ", w.TypeString()));
  }
  const int64_t channels = x.dim(1);
  const int64_t out_channels = w.dim(0);
  if (group < 1 || channels % group != 0 || out_channels % group != 0 ||
      channels / group != w.dim(1)) {
    return absl::InvalidArgumentError(absl::StrCat("X, ", x.TypeString(), ", and W, ",
                                                   w.TypeString(), ", do not fit ", group,
                                                   group == 1 ? " group" : " groups"));
  }
  if (bias != nullptr && (bias->rank() != 1 || bias->dim(0) != out_channels)) {
    return absl::InvalidArgumentError(absl::StrCat("B is ", bias->TypeString(), ", but there are ",
                                                   out_channels, " output channels"));
  }
  OC_ASSIGN_OR_RETURN(Windows windows,
                      attributes.windows.Resolve(absl::MakeConstSpan(x.shape()).subspan(2),
                                                 absl::MakeConstSpan(w.shape()).subspan(2)));
  ConvPlan plan = {{x.dim(0), group, channels / group, out_channels / group, windows},
                   {x.dim(0), out_channels}};
  for (const WindowDim& dim : windows) plan.output.push_back(dim.output);
  return plan;
}

double ConvWork(const ConvPlan& plan) {
  double work = static_cast<double>(NumTaps(plan.shape.windows)) *
                static_cast<double>(plan.shape.in_channels);
  for (const int64_t dim : plan.output) work *= static_cast<double>(dim);
  return work;
}

absl::Status RunConv(KernelContext& ctx, const ConvAttributes& attributes,
                     const Activation& activation) {
  return DispatchFloat(ctx.Input(0).dtype(),
                       [&]<typename C>() { return RunConvIn<C>(ctx, attributes, activation); });
}

}  // namespace onnxcmp
