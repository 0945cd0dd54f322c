// A convolution or a product with a matrix of constants as numbers: what it does to each of its
// output channels, with what nodes after it multiply and add to these.
#ifndef ONNXCMP_COMPARE_CAUSES_FUSIONS_CHANNEL_LAYER_H_
#define ONNXCMP_COMPARE_CAUSES_FUSIONS_CHANNEL_LAYER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/graphs/side_graph.h"
#include "compare/streams/result_stream.h"
#include "evaluator/tensor/value.h"

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
  double rounding = 0;                                // epsilon of the type that its numbers are in
  std::optional<ChannelNormalization> normalization;  // of what the layer gives

  size_t channels() const { return weights.size(); }
};

// The layer that makes a result, or what the result is an activation of; nothing if there is none,
// or if its numbers are not constants. `value` tells what results are.
std::optional<ChannelLayer> LayerBefore(const SideGraph& graph, int result,
                                        absl::FunctionRef<const Value&(int r)> value);

// From what a layer gives to the bias that is added to it and its BatchNormalization, if nothing
// else reads it; the result itself if there are none.
int EndOfLayer(const SideGraph& graph, int result);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FUSIONS_CHANNEL_LAYER_H_
