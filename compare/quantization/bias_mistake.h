// Review of integer biases without a scale of their own: QLinearConv and QGemm read them in steps
// of the input's scale times that of the weights.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_BIAS_MISTAKE_H_
#define ONNXCMP_COMPARE_QUANTIZATION_BIAS_MISTAKE_H_

#include <optional>
#include <vector>

#include "compare/quantization/counterpart_run.h"
#include "compare/quantization/wrong_quant_params.h"

namespace onnxcmp {

struct BiasReview {
  Mistake mistake;         // empty if the bias is correct, or if it cannot be judged
  bool looked_at = false;  // a constant of the other side is its counterpart
};

// Reviews the bias of node n of a region that makes `result` against the constants of the result's
// partner. It is wrong if the other side's bias, rounded to the same steps, improves the result.
// Nothing if the node has no such bias.
std::optional<BiasReview> ReviewBias(const CounterpartRun& run, int n,
                                     const std::vector<int>& region, int result);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_BIAS_MISTAKE_H_
