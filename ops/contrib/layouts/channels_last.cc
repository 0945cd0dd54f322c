#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/movement/inner_kernel.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/layouts/layouts.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kNhwcDomain = "com.ms.internal.nhwc";

// The kernel between two changes of layout: these inputs, where given, and output 0 are channels
// last, everything else is as the operator has it.
Kernel ChannelsLastKernel(Kernel kernel, std::vector<size_t> channels_last) {
  return [kernel = std::move(kernel),
          channels_last = std::move(channels_last)](KernelContext& ctx) -> absl::Status {
    std::vector<Value> inputs = InputValues(ctx);
    for (size_t i : channels_last) {
      if (i < inputs.size() && !inputs[i].empty()) inputs[i] = ChannelsFirst(inputs[i].tensor());
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> outputs, RunInner(ctx, kernel, inputs));
    if (!outputs[0].empty()) outputs[0] = ChannelsLast(outputs[0].tensor());
    return SetOutputs(ctx, std::move(outputs));
  };
}

// A vector with an element for each dimension, in the order of channels last, as channels first.
template <typename T>
absl::StatusOr<Tensor> ReorderedVector(const KernelContext& ctx, const Tensor& values) {
  OC_ASSIGN_OR_RETURN(const Tensor from, ctx.Contiguous(values));
  OC_ASSIGN_OR_RETURN(Tensor to, ctx.Allocate(from.dtype(), from.shape()));
  const int64_t count = from.num_elements();
  std::copy_n(from.data<T>(), count, to.mutable_data<T>());
  if (count > 2)
    std::rotate(to.mutable_data<T>() + 1, to.mutable_data<T>() + count - 1,
                to.mutable_data<T>() + count);
  return to;
}

// Resize: scales and sizes are channels last too; onnxruntime leaves roi as it was.
Kernel ChannelsLastResize(Kernel kernel) {
  constexpr size_t kScales = 2;
  constexpr size_t kSizes = 3;
  return ChannelsLastKernel(
      [kernel = std::move(kernel)](KernelContext& ctx) -> absl::Status {
        std::vector<Value> inputs = InputValues(ctx);
        if (inputs.size() > kScales && !inputs[kScales].empty()) {
          OC_ASSIGN_OR_RETURN(inputs[kScales],
                              ReorderedVector<float>(ctx, inputs[kScales].tensor()));
        }
        if (inputs.size() > kSizes && !inputs[kSizes].empty()) {
          OC_ASSIGN_OR_RETURN(inputs[kSizes],
                              ReorderedVector<int64_t>(ctx, inputs[kSizes].tensor()));
        }
        OC_ASSIGN_OR_RETURN(std::vector<Value> outputs, RunInner(ctx, kernel, inputs));
        return SetOutputs(ctx, std::move(outputs));
      },
      {0});
}

// QLinearConvTranspose, which only this domain has: ConvTranspose of the real values of x and w,
// plus B * x_scale * w_scale, quantized. w is (C, M / group, k1, ...) with one scale.
Kernel QLinearConvTranspose(Kernel conv_transpose) {
  enum { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kB };
  return [conv_transpose = std::move(conv_transpose)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {kX, kXScale, kXZero}));
    OC_ASSIGN_OR_RETURN(const Tensor w, RealInput(ctx, {kW, kWScale, kWZero}));
    std::vector<Value> inputs = {ChannelsFirst(x), w};
    if (ctx.HasInput(kB)) {
      OC_ASSIGN_OR_RETURN(Tensor bias,
                          (ElementwiseIn<double, 3>(
                              ctx, {&ctx.Input(kB), &ctx.Input(kXScale), &ctx.Input(kWScale)},
                              DType::kDouble, [](auto b, auto s, auto t) { return b * s * t; })));
      inputs.push_back(std::move(bias));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, RunInner(ctx, conv_transpose, inputs));
    OC_ASSIGN_OR_RETURN(const Tensor y, ctx.Contiguous(ChannelsLast(outputs[0].tensor())));
    return EmitQuantized(ctx, y, {kYScale, kYZero}, ctx.Input(kYZero).dtype());
  };
}

// The maker of an operator that is registered; a mistake of ours if it is not.
KernelMaker MakerOf(const OpRegistry& registry, absl::string_view domain, absl::string_view op_type,
                    int version) {
  const KernelMaker* maker = registry.FindKernel(domain, op_type, version);
  OC_CHECK(maker != nullptr);
  return *maker;
}

// The maker of ONNX's operator of this version, or, with an ONNX that does not have it yet, of the
// one before; attributes that it does not know are refused.
KernelMaker LatestMakerOf(const OpRegistry& registry, absl::string_view op_type,
                          const std::vector<int>& versions, size_t index) {
  const bool is_there = registry.FindKernel(kOnnxDomain, op_type, versions[index]) != nullptr;
  return MakerOf(registry, kOnnxDomain, op_type,
                 versions[is_there || index == 0 ? index : index - 1]);
}

KernelMaker WithChannelsLast(KernelMaker maker, std::vector<size_t> channels_last) {
  return [maker = std::move(maker), channels_last = std::move(channels_last)](
             const KernelInit& node) -> absl::StatusOr<Kernel> {
    OC_ASSIGN_OR_RETURN(Kernel kernel, maker(node));
    return ChannelsLastKernel(std::move(kernel), channels_last);
  };
}

struct Operator {
  absl::string_view name;
  std::vector<int> versions;
};

// com.ms.internal.nhwc: what onnxruntime's layout transformation writes for providers that want
// channels last. Each is the operator of ONNX of the same version with input and output 0 channels
// last.
std::vector<Operator> InternalOperators() {
  return {
      {"AveragePool", {7, 10, 11, 19}},
      {"BatchNormalization", {7, 9, 14, 15}},
      {"Conv", {1, 11}},
      {"ConvTranspose", {1, 11}},
      {"DepthToSpace", {1, 11, 13, 28}},
      {"GlobalAveragePool", {1}},
      {"GlobalLpPool", {2}},
      {"GlobalMaxPool", {1}},
      {"GridSample", {16, 20}},
      {"InstanceNormalization", {6}},
      {"LRN", {1, 13}},
      {"LpPool", {11, 18}},
      {"MaxPool", {1, 8, 10, 11, 12}},
      {"MaxUnpool", {9, 11}},
      {"QLinearConv", {10}},
      {"SpaceToDepth", {1, 13, 28}},
  };
}

}  // namespace

void RegisterChannelsLast(OpRegistry& registry) {
  for (const Operator& op : InternalOperators()) {
    for (size_t i = 0; i < op.versions.size(); ++i) {
      registry.Add(kNhwcDomain, op.name, {op.versions[i]},
                   WithChannelsLast(LatestMakerOf(registry, op.name, op.versions, i), {0}));
    }
  }
  for (int version : {11, 13, 18, 19}) {
    registry.Add(kNhwcDomain, "Resize", {version},
                 [resize = MakerOf(registry, kOnnxDomain, "Resize", version)](
                     const KernelInit& node) -> absl::StatusOr<Kernel> {
                   if (node.Has("axes")) {
                     return absl::UnimplementedError(
                         "axes of a Resize with channels last are not supported");
                   }
                   OC_ASSIGN_OR_RETURN(Kernel kernel, resize(node));
                   return ChannelsLastResize(std::move(kernel));
                 });
  }
  registry.Add(kNhwcDomain, "QLinearAveragePool", {1},
               [pool = MakerOf(registry, kMicrosoftDomain, "QLinearAveragePool", 1)](
                   const KernelInit& node) -> absl::StatusOr<Kernel> {
                 OC_ASSIGN_OR_RETURN(Kernel kernel, pool(node));
                 // The attribute says of the operator of com.microsoft what the domain says here.
                 return node.Flag("channels_last") ? std::move(kernel)
                                                   : ChannelsLastKernel(std::move(kernel), {0});
               });
  registry.Add(kNhwcDomain, "QLinearConvTranspose", {1},
               [conv_transpose = MakerOf(registry, kOnnxDomain, "ConvTranspose", 11)](
                   const KernelInit& node) -> absl::StatusOr<Kernel> {
                 OC_ASSIGN_OR_RETURN(Kernel kernel, conv_transpose(node));
                 return QLinearConvTranspose(std::move(kernel));
               });

  // NhwcConv, NhwcFusedConv, NhwcMaxPool (com.microsoft 1): Conv, FusedConv and MaxPool of X, Z and
  // Y with channels last; W is (M, C / group, kH, kW).
  const KernelMaker fused_conv = MakerOf(registry, kMicrosoftDomain, "FusedConv", 1);
  registry.Add(kMicrosoftDomain, "NhwcConv", {1},
               WithChannelsLast(MakerOf(registry, kOnnxDomain, "Conv", 22), {0}));
  registry.Add(kMicrosoftDomain, "NhwcFusedConv", {1}, WithChannelsLast(fused_conv, {0, 3}));
  registry.Add(kMicrosoftDomain, "NhwcMaxPool", {1},
               WithChannelsLast(MakerOf(registry, kOnnxDomain, "MaxPool", 22), {0}));
}

}  // namespace onnxcmp
