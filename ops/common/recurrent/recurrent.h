// The frame of the recurrent operators (LSTM, GRU, RNN and the like): directions, layouts, sequence
// lengths, initial and last states, and the projection of the inputs. An operator adds its cell.
#ifndef ONNXCMP_OPS_COMMON_RECURRENT_RECURRENT_H_
#define ONNXCMP_OPS_COMMON_RECURRENT_RECURRENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/products/gemm.h"
#include "ops/common/recurrent/recurrent_activation.h"

namespace onnxcmp {

struct RecurrentOptions {
  int gates = 0;  // matrices that W, R and B are made of
  int directions = 1;
  bool reverse = false;      // the (first) direction runs backwards
  bool batch_first = false;  // layout 1
  int64_t hidden_size = -1;  // -1: not given
  float clip = 0;            // of the activations' inputs; 0: none
  // Those of the first direction, then those of the second.
  std::vector<RecurrentActivation> activations;
  const RecurrentActivation& Activation(int direction, int i) const {
    const size_t per_direction = activations.size() / static_cast<size_t>(directions);
    return activations[static_cast<size_t>(direction) * per_direction + static_cast<size_t>(i)];
  }
};

// Reads the attributes that all of them have. `activations`: a direction's, by default.
absl::StatusOr<RecurrentOptions> ReadRecurrentOptions(const KernelInit& node, int gates,
                                                      absl::Span<const char* const> activations);

// The parameters of all directions, checked and in C. Absent ones are null.
template <typename C>
struct RecurrentParameters {
  int64_t steps = 0, batch = 0, input_size = 0, hidden = 0;
  Tensor x;  // (steps, batch, input_size)
  Tensor w;  // (directions, gates * hidden, input_size)
  // (directions, gates * hidden, hidden, or what else the cell multiplies it with), of any strides.
  Tensor r;
  Tensor b;  // (directions, 2 * gates * hidden): that of W, then that of R; zeros if absent
  std::vector<int64_t> lengths;  // of each sequence of the batch

  const C* W(int direction) const { return w.data<C>() + direction * w.dim(1) * input_size; }
  // R^T of the gates from `gate` on, as a factor of a product.
  GemmFactor<C> RTransposed(int direction, int gate = 0) const {
    const Shape& strides = r.strides();
    return {r.data<C>() + direction * strides[0] + gate * hidden * strides[1], strides[2],
            strides[1]};
  }
  const C* Wb(int direction) const { return b.data<C>() + direction * b.dim(1); }
  const C* Rb(int direction) const { return Wb(direction) + b.dim(1) / 2; }
};

// Inputs 0, 3 and 4: X, B, sequence_lens; w and r stay undefined.
template <typename C>
absl::StatusOr<RecurrentParameters<C>> LoadSequences(const KernelContext& ctx,
                                                     const RecurrentOptions& options,
                                                     int64_t hidden);

// Inputs 0 to 4: X, W, R, B, sequence_lens.
template <typename C>
absl::StatusOr<RecurrentParameters<C>> LoadRecurrentParameters(const KernelContext& ctx,
                                                               const RecurrentOptions& options);

// A contiguous tensor of C from an input that must have this shape.
template <typename C>
absl::StatusOr<Tensor> LoadParameter(const KernelContext& ctx, int index, absl::string_view name,
                                     absl::Span<const int64_t> shape);

// A step of one direction for the whole batch. `gates` (batch, gates * hidden) holds the input's
// projection and `bias`; it is scratch for the cell. The new states go to h and c (batch, hidden);
// c_previous and c are null for cells without a cell state.
template <typename C>
struct RecurrentStep {
  int direction;
  int64_t step;  // of X, whichever way the direction runs
  C* gates;
  const C* h_previous;
  C* h;
  const C* c_previous;
  C* c;
};

// Runs `cell` over the sequences and sets the outputs Y, Y_h and, with_cell_state, Y_c. Initial
// states are inputs 5 and 6. `bias` (directions, gates * hidden) is added to the projections.
// Beyond a sequence's end Y is 0 and states stay; a sequence of length 0 ends in states of 0.
template <typename C>
absl::Status RunRecurrent(KernelContext& ctx, const RecurrentOptions& options,
                          const RecurrentParameters<C>& parameters, const std::vector<C>& bias,
                          bool with_cell_state,
                          absl::FunctionRef<void(const RecurrentStep<C>&)> cell);

// x[i] within [-clip, clip]; NaN stays. Nothing if clip is 0.
template <typename C>
void ClipActivationInput(float clip, C* x, int64_t count);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_RECURRENT_RECURRENT_H_
