#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/quantized/quantization.h"
#include "ops/common/reduction/lanes.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

absl::Status CheckSameShape(const KernelContext& ctx) {
  if (ctx.Input(0).shape() == ctx.Input(1).shape()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("X is ", ctx.Input(0).TypeString(), ", Y is ",
                                                 ctx.Input(1).TypeString(),
                                                 ": they must have one shape"));
}

// MyCustomOp (onnx_extended.ortops.tutorial.cpu 1): X + Y, of one shape.
absl::Status MyCustomOp(KernelContext& ctx) {
  OC_RETURN_IF_ERROR(CheckSameShape(ctx));
  return EmitBinary<Floats>(ctx, [](auto x, auto y) { return x + y; });
}

// MyCustomOpWithAttributes (onnx_extended.ortops.tutorial.cpu 1): X + Y plus the sum of the
// attributes: the float, the integer, the first byte of the string, the tensor's first element.
absl::StatusOr<Kernel> MyCustomOpWithAttributes(const KernelInit& node) {
  const std::optional<Tensor> tensor = node.TensorAttribute("att_tensor");
  const std::string text = node.String("att_string");
  const double numbers =
      double{node.Float("att_float")} + static_cast<double>(node.Int("att_int64"));
  if (!tensor.has_value() || tensor->dtype() != DType::kDouble || tensor->num_elements() == 0 ||
      text.empty()) {
    return absl::InvalidArgumentError(
        "att_tensor must hold a double and att_string a character at least");
  }
  const double constant = *tensor->data<double>() + numbers + static_cast<double>(text[0]);
  return [constant](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckSameShape(ctx));
    return EmitBinary<Classes<double>>(ctx,
                                       [constant](auto x, auto y) { return x + y + constant; });
  };
}

// DynamicQuantizeLinear (onnx_extended.ortops.tutorial.cpu 1): x / scale as float8e4m3fn, where
// scale = sqrt(mean(x^2)) / 100.057724, the standard deviation of the finite values of that type;
// the zero point is 0. `to` knows no other type.
absl::StatusOr<Kernel> DynamicQuantizeLinear(const KernelInit& node) {
  if (const int64_t to = node.Int("to"); to != static_cast<int64_t>(DType::kFloat8E4M3FN)) {
    return absl::UnimplementedError(absl::StrCat("element type ", to, " for `to`"));
  }
  return FloatKernel(0, []<typename C>(KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
    const int64_t count = x.num_elements();
    const C mean_square = LaneSquaredDeviations(x.data<C>(), count, C{0}) / static_cast<C>(count);
    const Tensor scale = Tensor::Scalar<C>(std::sqrt(mean_square) / C{100.057724f});
    OC_ASSIGN_OR_RETURN(Tensor zero_point, ctx.Allocate(DType::kFloat8E4M3FN, {}));
    *zero_point.mutable_data<uint8_t>() = 0;
    OC_ASSIGN_OR_RETURN(Tensor y,
                        QuantizeTensor(ctx, x, scale, &zero_point,
                                       {.granularity = {}, .output = DType::kFloat8E4M3FN}));
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
    OC_RETURN_IF_ERROR(ctx.SetOutput(1, scale));
    return ctx.SetOutput(2, std::move(zero_point));
  });
}

}  // namespace

void RegisterExtendedTutorial(OpRegistry& registry) {
  registry.Add(kTutorialCpuDomain, "MyCustomOp", {1}, MyCustomOp);
  registry.Add(kTutorialCpuDomain, "MyCustomOpWithAttributes", {1}, MyCustomOpWithAttributes);
  registry.Add(kTutorialCpuDomain, "DynamicQuantizeLinear", {1}, DynamicQuantizeLinear);
}

}  // namespace onnxcmp
