// A convolution or a product with a constant matrix as numbers for each output channel, including
// constants that later nodes multiply and add to the channels.
#ifndef ONNXCMP_COMPARE_CAUSES_FOLDED_CHANNEL_LAYER_H_
#define ONNXCMP_COMPARE_CAUSES_FOLDED_CHANNEL_LAYER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// BatchNormalization of each channel.
struct ChannelNormalization {
  std::vector<double> scale, bias, mean, variance;
  double epsilon = 0;
};

struct ChannelLayer {
  int input = kNone;                         // the result that it reads
  std::vector<std::vector<double>> weights;  // by output channel
  std::vector<double> bias;                  // by output channel; 0 where there is none
  bool has_bias = false;
  double rounding = 0;                                // epsilon of the type of its numbers
  std::optional<ChannelNormalization> normalization;  // applied to the layer's output

  size_t channels() const { return weights.size(); }
};

// The layer that computes a result, or the input of the activation that gives it; nothing if there
// is none, or if its numbers are not constants. `value` returns the values of results.
std::optional<ChannelLayer> LayerBefore(const SideGraph& graph, int result,
                                        absl::FunctionRef<const Value&(int r)> value);

// Walks from a layer's output past the added bias and the BatchNormalization, if nothing else reads
// the results between; the result itself if there are none.
int EndOfLayer(const SideGraph& graph, int result);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FOLDED_CHANNEL_LAYER_H_
