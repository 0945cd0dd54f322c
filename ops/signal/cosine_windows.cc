#include <algorithm>
#include <cstdint>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

// The coefficients of a window a0 - a1 * cos(t) + a2 * cos(2t).
struct Coefficients {
  double a0, a1, a2;
};

// HannWindow, HammingWindow, BlackmanWindow (ai.onnx 17): `size` elements of a window, whose t runs
// from 0 over one period, which it does not reach with `periodic`. In double, rounded once to the
// type `output_datatype` (integers truncate); the function body computes in float, which gives 0
// instead of 1 in the middle of a Blackman window of integers.
absl::StatusOr<Kernel> CosineWindow(const KernelInit& node, Coefficients c) {
  const bool periodic = node.Flag("periodic");
  OC_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(node.Int("output_datatype")));
  if (!IsInteger(dtype) && !IsFloatingPoint(dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute output_datatype names no type of numbers: ", DTypeName(dtype)));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const int64_t size, ctx.ScalarInput<int64_t>(0));
    if (size < 0) {
      return absl::InvalidArgumentError(absl::StrCat("a window of ", size, " elements"));
    }
    OC_ASSIGN_OR_RETURN(Tensor window, ctx.Allocate(DType::kDouble, {size}));
    const auto period = static_cast<double>(periodic ? size : size - 1);
    double* y = window.mutable_data<double>();
    for (int64_t begin = 0; begin < size; begin += vec::kMaxStrip) {
      vec::Strip<double> t(std::min(vec::kMaxStrip, size - begin));
      for (int64_t i = 0; i < t.size(); ++i) {
        t[i] = static_cast<double>(begin + i) * (2 * std::numbers::pi) / period;
      }
      // 1, not less, in the middle.
      Eigen::Map<Eigen::ArrayXd>(y + begin, t.size()) =
          c.a2 * vec::Cos(2 * t) - c.a1 * vec::Cos(t) + c.a0;
    }
    OC_ASSIGN_OR_RETURN(window, StoreTensor<double>(ctx, window, dtype));
    return ctx.SetOutput(0, std::move(window));
  };
}

absl::StatusOr<Kernel> HannWindow(const KernelInit& node) {
  return CosineWindow(node, {0.5, 0.5, 0});
}

absl::StatusOr<Kernel> HammingWindow(const KernelInit& node) {
  return CosineWindow(node, {25.0 / 46, 1 - 25.0 / 46, 0});
}

absl::StatusOr<Kernel> BlackmanWindow(const KernelInit& node) {
  return CosineWindow(node, {0.42, 0.5, 0.08});
}

}  // namespace

void RegisterCosineWindows(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "HannWindow", {17}, HannWindow);
  registry.Add(kOnnxDomain, "HammingWindow", {17}, HammingWindow);
  registry.Add(kOnnxDomain, "BlackmanWindow", {17}, BlackmanWindow);
}

}  // namespace onnxcmp
