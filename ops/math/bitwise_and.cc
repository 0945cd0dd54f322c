#include <cstdint>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// BitwiseAnd (ai.onnx 18): C = A & B, bit by bit, broadcast.
absl::Status BitwiseAnd(KernelContext& ctx) {
  return EmitBinary<Integers>(ctx, [](auto a, auto b) {
    return a.binaryExpr(b, [](uint64_t x, uint64_t y) { return x & y; });
  });
}

}  // namespace

void RegisterBitwiseAnd(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "BitwiseAnd", {18}, BitwiseAnd);
}

}  // namespace onnxcmp
