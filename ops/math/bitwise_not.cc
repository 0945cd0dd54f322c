#include <cstdint>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// BitwiseNot (ai.onnx 18): Y = ~X, bit by bit.
absl::Status BitwiseNot(KernelContext& ctx) {
  return EmitUnary<Integers>(ctx,
                             [](auto x) { return x.unaryExpr([](uint64_t v) { return ~v; }); });
}

}  // namespace

void RegisterBitwiseNot(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "BitwiseNot", {18}, BitwiseNot);
}

}  // namespace onnxcmp
