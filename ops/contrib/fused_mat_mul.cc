#include <algorithm>
#include <utility>

#include "evaluator/op_registry.h"
#include "ops/common/matmul.h"

namespace onnxcmp {
namespace {

// The view of a factor that is multiplied: `batch` moves the first axis to before the last, then
// `matrix` swaps the last two. A vector has no axes to move.
Tensor Transposed(const Tensor& x, bool batch, bool matrix) {
  if (x.rank() < 2) return x;
  Shape shape = x.shape();
  Shape strides = x.strides();
  const auto last = shape.size() - 1;
  if (batch) {
    std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
    std::rotate(strides.begin(), strides.begin() + 1, strides.end() - 1);
  }
  if (matrix) {
    std::swap(shape[last], shape[last - 1]);
    std::swap(strides[last], strides[last - 1]);
  }
  return x.Strided(shape, strides, x.offset());
}

// FusedMatMul (com.microsoft 1): Y = alpha * matmul(A', B'). transA and transB swap the last two
// axes; transBatchA and transBatchB move the first axis to before the last one first.
Kernel FusedMatMul(const KernelInit& node) {
  return [alpha = node.Float("alpha"), trans_a = node.Flag("transA"), trans_b = node.Flag("transB"),
          batch_a = node.Flag("transBatchA"),
          batch_b = node.Flag("transBatchB")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, Transposed(ctx.Input(0), batch_a, trans_a),
                                                Transposed(ctx.Input(1), batch_b, trans_b), alpha));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribFusedMatMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FusedMatMul", {1}, FusedMatMul);
}

}  // namespace onnxcmp
