#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

constexpr int64_t kWidth = 64;

int64_t ShiftedLeft(int64_t x, int64_t y) {
  return y >= 0 && y < kWidth ? static_cast<int64_t>(static_cast<uint64_t>(x) << y) : 0;
}
uint64_t ShiftedLeft(uint64_t x, uint64_t y) { return y < kWidth ? x << y : 0; }

int64_t ShiftedRight(int64_t x, int64_t y) {
  return x >> (y >= 0 && y < kWidth ? y : kWidth - 1);  // the sign alone: -1 or 0
}
uint64_t ShiftedRight(uint64_t x, uint64_t y) { return y < kWidth ? x >> y : 0; }

// BitShift (ai.onnx 11, 28): Z = X shifted by Y bits in `direction`, broadcast; signed integers
// (since 28) to the right with copies of their sign. Where Y is negative, or the width of the type
// or more, no bit of X is left: -1 for a negative X to the right, else 0 (before 28 open in the
// specification, and so in NumPy).
absl::StatusOr<Kernel> BitShift(const KernelInit& node) {
  const std::string direction = node.String("direction");
  if (direction == "LEFT") {
    return [](KernelContext& ctx) {
      return EmitBinary<Classes<int64_t, uint64_t>>(ctx, [](auto a, auto b) {
        return a.binaryExpr(b, [](auto x, auto y) { return ShiftedLeft(x, y); });
      });
    };
  }
  if (direction == "RIGHT") {
    return [](KernelContext& ctx) {
      return EmitBinary<Classes<int64_t, uint64_t>>(ctx, [](auto a, auto b) {
        return a.binaryExpr(b, [](auto x, auto y) { return ShiftedRight(x, y); });
      });
    };
  }
  return absl::InvalidArgumentError(
      absl::StrCat("direction must be LEFT or RIGHT, not ", direction));
}

}  // namespace

void RegisterBitShift(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "BitShift", {11, 28}, BitShift);
}

}  // namespace onnxcmp
