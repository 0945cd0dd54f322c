#include <cstdint>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// BitwiseXor (ai.onnx 18): C = A ^ B, bit by bit, broadcast.
absl::Status BitwiseXor(KernelContext& ctx) {
  return EmitBinary<Integers>(ctx, [](auto a, auto b) {
    return a.binaryExpr(b, [](uint64_t x, uint64_t y) { return x ^ y; });
  });
}

}  // namespace

void RegisterBitwiseXor(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "BitwiseXor", {18}, BitwiseXor);
}

}  // namespace onnxcmp
