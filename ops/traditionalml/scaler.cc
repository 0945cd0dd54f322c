#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/traditionalml/feature_attribute.h"

namespace onnxcmp {
namespace {

// Scaler (ai.onnx.ml 1): Y = (X - offset) * scale, which are one number each or one a feature (the
// last axis). Integers and double are computed in double; Y is float.
absl::StatusOr<Kernel> Scaler(const KernelInit& node) {
  const std::vector<float> offset = node.Floats("offset");
  const std::vector<float> scale = node.Floats("scale");
  if (offset.size() != scale.size() || offset.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("offset has ", offset.size(), " elements, scale ", scale.size()));
  }
  const Tensor offsets = FeatureAttribute(offset);
  const Tensor scales = FeatureAttribute(scale);
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_RETURN_IF_ERROR(CheckFeatures("offset", offsets, x));
    const auto run = [&]<typename S>() {
      return ElementwiseIn<S>(ctx, std::array<const Tensor*, 3>{&x, &offsets, &scales},
                              DType::kFloat,
                              [](auto v, auto from, auto by) { return (v - from) * by; });
    };
    OC_ASSIGN_OR_RETURN(Tensor y, x.dtype() == DType::kFloat ? run.template operator()<float>()
                                                             : run.template operator()<double>());
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMlScaler(OpRegistry& registry) { registry.Add(kMlDomain, "Scaler", {1}, Scaler); }

}  // namespace onnxcmp
