#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/recurrent/lstm.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Run(KernelContext& ctx, const LstmOptions& options) {
  OC_ASSIGN_OR_RETURN(const RecurrentParameters<C> p, LoadRecurrentParameters<C>(ctx, options));
  return RunLstm<C>(ctx, options, p, [](const RecurrentStep<C>& step) { return step.h_previous; });
}

// LSTM (ai.onnx 1, 7, 14, 22), with activations f, g, h (Sigmoid, Tanh, Tanh by default):
//   it = f(Xt Wi^T + Ht-1 Ri^T + Pi * Ct-1 + Wbi + Rbi)
//   ft = f(Xt Wf^T + Ht-1 Rf^T + Pf * Ct-1 + Wbf + Rbf), or 1 - it with input_forget
//   ct = g(Xt Wc^T + Ht-1 Rc^T + Wbc + Rbc)
//   Ct = ft * Ct-1 + it * ct
//   ot = f(Xt Wo^T + Ht-1 Ro^T + Po * Ct + Wbo + Rbo)
//   Ht = ot * h(Ct)
// Open in the specification: clip bounds the arguments of f and g, not the cell that h is applied
// to, and a sequence of length 0 ends in states of 0; both as onnxruntime has it. Narrow floats are
// computed in float, and rounded only in the outputs.
absl::StatusOr<Kernel> Lstm(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(LstmOptions options, ReadLstmOptions(node));
  return FloatKernel(0, [options = std::move(options)]<typename C>(KernelContext& ctx) {
    return Run<C>(ctx, options);
  });
}

}  // namespace

void RegisterLstm(OpRegistry& registry) { registry.Add(kOnnxDomain, "LSTM", {1, 7, 14, 22}, Lstm); }

}  // namespace onnxcmp
