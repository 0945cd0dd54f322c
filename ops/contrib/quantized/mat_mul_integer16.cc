#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/products/matmul.h"

namespace onnxcmp {
namespace {

// MatMulInteger16 (com.microsoft 1): Y = numpy.matmul(A, B) of 16-bit integers in 32 bits, which
// wrap around: uint32 if both are uint16, else int32.
absl::Status MatMulInteger16(KernelContext& ctx) {
  const Tensor& a = ctx.Input(0);
  const Tensor& b = ctx.Input(1);
  const DType wide =
      a.dtype() == DType::kUint16 && b.dtype() == DType::kUint16 ? DType::kUint32 : DType::kInt32;
  const auto widen = [&](const Tensor& x) {
    return ElementwiseIn<int64_t, 1>(ctx, {&x}, wide, [](auto value) { return value; });
  };
  OC_ASSIGN_OR_RETURN(const Tensor left, widen(a));
  OC_ASSIGN_OR_RETURN(const Tensor right, widen(b));
  OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, left, right));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterContribMatMulInteger16(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulInteger16", {1}, MatMulInteger16);
}

}  // namespace onnxcmp
