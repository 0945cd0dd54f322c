#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// GRUUnit (ai.onnx 1, experimental, removed in 10; no CPU kernel in onnxruntime): one step of a GRU
// as Caffe2, where the operator is from, has it. Of the unactivated gates ... x N x 3D (reset,
// update, output; the reset gate is in the output already) and the hidden state ... x N x D,
//   hidden = hidden_prev * sigmoid(update) + tanh(output) * (1 - sigmoid(update)),
// for sequences that are longer than t; for the others it is hidden_prev, or with drop_states 0.
Kernel GruUnit(const KernelInit& node) {
  const bool drops_states = node.Int("drop_states", 0) != 0;
  return [drops_states](KernelContext& ctx) -> absl::Status {
    const Tensor& previous = ctx.Input(0);
    const Tensor& gates = ctx.Input(1);
    const Tensor& lengths = ctx.Input(2);
    const int rank = previous.rank();
    const bool fits = rank >= 2 && gates.rank() == rank && gates.dim(rank - 1) % 3 == 0 &&
                      gates.dim(rank - 1) / 3 == previous.dim(rank - 1) &&
                      previous.num_elements() == gates.num_elements() / 3 &&
                      gates.dim(rank - 2) == previous.dim(rank - 2) &&
                      lengths.num_elements() == previous.dim(rank - 2);
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat("hidden_prev, ", previous.TypeString(), ", gates, ", gates.TypeString(),
                       ", and seq_lengths, ", lengths.TypeString(), ", do not fit each other"));
    }
    OC_ASSIGN_OR_RETURN(const double step, ctx.ScalarInput<double>(3));
    OC_ASSIGN_OR_RETURN(Tensor by_row, ctx.ContiguousInput(2));
    by_row = by_row.Reshaped({previous.dim(rank - 2), 1});
    const int64_t size = previous.dim(rank - 1);
    const Tensor update = Narrowed(gates, rank - 1, size, size);
    const Tensor output = Narrowed(gates, rank - 1, 2 * size, size);
    const auto unit = [=](auto h, auto u, auto o, auto length) {
      using T = typename decltype(h)::Scalar;
      const vec::Strip<T> gate = vec::Sigmoid(u);
      const vec::Strip<T> next = h * gate + vec::Tanh(o) * (T{1} - gate);
      vec::Strip<T> stopped = h;
      if (drops_states) stopped.setZero();
      return vec::Strip<T>((length > static_cast<T>(step)).select(next, stopped));
    };
    const std::array<const Tensor*, 4> inputs = {&previous, &update, &output, &by_row};
    OC_ASSIGN_OR_RETURN(Tensor hidden, Elementwise(Floats{}, ctx, inputs, previous.dtype(), unit));
    return ctx.SetOutput(0, std::move(hidden));
  };
}

}  // namespace

void RegisterLegacyGruUnit(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GRUUnit", {1}, GruUnit);
}

}  // namespace onnxcmp
