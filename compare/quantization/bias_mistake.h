// A bias of integers that has no scale of its own: QLinearConv and QGemm read it in steps of their
// input's scale times that of their weights.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_BIAS_MISTAKE_H_
#define ONNXCMP_COMPARE_QUANTIZATION_BIAS_MISTAKE_H_

#include <optional>
#include <vector>

#include "compare/quantization/grid_mistakes.h"
#include "compare/quantization/twin_run.h"

namespace onnxcmp {

struct BiasReview {
  Mistake mistake;         // empty if the bias is honest, or if nothing can be said of it
  bool looked_at = false;  // a constant of the other side stands for it
};

// The bias of node n of a region that makes `result`, beside the constants that the result's
// partner is made of. It is wrong where the other side's bias, rounded to the same steps, makes the
// result better. Nothing if the node has no such bias.
std::optional<BiasReview> ReviewBias(const TwinRun& run, int n, const std::vector<int>& region,
                                     int result);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_BIAS_MISTAKE_H_
