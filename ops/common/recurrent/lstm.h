// The cell of LSTM and the like.
#ifndef ONNXCMP_OPS_COMMON_RECURRENT_LSTM_H_
#define ONNXCMP_OPS_COMMON_RECURRENT_LSTM_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/recurrent/recurrent.h"

namespace onnxcmp {

struct LstmOptions : RecurrentOptions {
  bool input_forget = false;
};

absl::StatusOr<LstmOptions> ReadLstmOptions(const KernelInit& node);

// The factor that R multiplies in a step: (batch, R's columns), from step.h_previous. It stays
// valid until the next call for this direction; directions run at the same time.
template <typename C>
using RecurrentFactor = absl::FunctionRef<const C*(const RecurrentStep<C>& step)>;

// Runs the cell of LSTM with the peepholes of input 7 and the initial states of inputs 5 and 6, and
// sets the outputs Y, Y_h, Y_c.
template <typename C>
absl::Status RunLstm(KernelContext& ctx, const LstmOptions& options,
                     const RecurrentParameters<C>& p, RecurrentFactor<C> factor);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_RECURRENT_LSTM_H_
