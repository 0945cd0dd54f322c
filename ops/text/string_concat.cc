#include <string>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/broadcast.h"

namespace onnxcmp {
namespace {

// StringConcat (ai.onnx 20): Z = X followed by Y, broadcast.
absl::Status StringConcat(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  const Tensor& y = ctx.Input(1);
  OC_ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(x.shape(), y.shape()));
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kString, shape));
  if (result.num_elements() == 0) return ctx.SetOutput(0, std::move(result));
  StridedRuns x_runs(shape, BroadcastStrides(x, shape));
  StridedRuns y_runs(shape, BroadcastStrides(y, shape));
  x_runs.Seek(0);
  y_runs.Seek(0);
  std::string* out = result.mutable_string_data();
  int64_t bytes = 0;
  for (int64_t done = 0; done < result.num_elements(); ++done) {
    const std::string& head = x.string_data()[x_runs.Next(1).offset];
    const std::string& tail = y.string_data()[y_runs.Next(1).offset];
    bytes += static_cast<int64_t>(head.size() + tail.size());
    OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kUint8, {bytes}));
    *out++ = head + tail;
  }
  return ctx.SetOutput(0, std::move(result));
}

}  // namespace

void RegisterStringConcat(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "StringConcat", {20}, StringConcat);
}

}  // namespace onnxcmp
