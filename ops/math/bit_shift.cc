#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/elementwise.h"

namespace onnxcmp {
namespace {

// BitShift (ai.onnx 11): Z = X shifted by Y bits in `direction`, broadcast. Open in the
// specification: a shift by the width of the type or more gives 0, as in NumPy.
Kernel BitShift(const KernelInit& node) {
  const std::string direction = node.String("direction");
  if (direction == "LEFT") {
    return [](KernelContext& ctx) {
      return EmitBinary<Integers>(ctx, [](auto a, auto b) {
        return a.binaryExpr(b, [](uint64_t x, uint64_t y) { return y < 64 ? x << y : 0; });
      });
    };
  }
  if (direction == "RIGHT") {
    return [](KernelContext& ctx) {
      return EmitBinary<Integers>(ctx, [](auto a, auto b) {
        return a.binaryExpr(b, [](uint64_t x, uint64_t y) { return y < 64 ? x >> y : 0; });
      });
    };
  }
  return node.Fail(
      absl::InvalidArgumentError(absl::StrCat("direction must be LEFT or RIGHT, not ", direction)));
}

}  // namespace

void RegisterBitShift(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "BitShift", {11}, BitShift);
}

}  // namespace onnxcmp
