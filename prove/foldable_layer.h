// Layers with weights, and later nodes that an optimizer may fold into these.
#ifndef ONNXCMP_PROVE_FOLDABLE_LAYER_H_
#define ONNXCMP_PROVE_FOLDABLE_LAYER_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_value.h"
#include "prove/rounded_constants.h"

namespace onnxcmp {

// The numbers of a tensor; none if they cannot be read.
std::vector<double> NumbersIn(const Tensor& tensor);
std::vector<float> FloatsIn(const Tensor& tensor);

// The residues of a value that does not depend on inputs: its own, else those of its numbers.
absl::StatusOr<Residues> ResiduesOfNumbers(const PrimeField& field, const FieldValue& value);

// Numbers by channel, or one for all.
struct ByChannel {
  std::vector<double> numbers;
  std::vector<Residue> residues;
};

// A step after a layer: y op number, or a BatchNormalization.
struct LayerStep {
  std::string op_type;
  bool divides = false;            // a Div
  std::vector<ByChannel> numbers;  // one, or scale, bias, mean, variance
  float epsilon = 0;
  Residue exact_epsilon = 0;
};

// A layer with weights, and the steps it is folded with.
struct FoldableLayer {
  std::string weight_name, bias_name;
  FieldValue weight;  // a tensor
  ByChannel bias;     // of no numbers: none
  size_t channels = 0;
  size_t channel_axis = 0;
  size_t inner = 1;  // weights from one channel to the next
  std::vector<LayerStep> steps;

  const Shape& shape() const { return weight.number.tensor().shape(); }
  size_t ChannelOf(size_t i) const { return i / inner % channels; }
};

// The layers of a graph, each once for every number of steps after it. `known`: values that do not
// depend on the graph's inputs.
std::vector<FoldableLayer> FoldableLayers(const PrimeField& field, const Graph& graph,
                                          const FieldValues& known);

// The factors of a layer's weights, and its biases after folding.
template <typename Number>
struct FoldedFactors {
  std::vector<std::vector<Number>> factors;  // by step and channel; divisors of a Div
  std::vector<Number> biases;
  std::vector<double> sizes;  // of the terms that biases are summed from

  // A weight of a channel after folding.
  Number Weight(const FoldableLayer& layer, Number weight, size_t channel) const {
    for (size_t i = 0; i < factors.size(); ++i) {
      const Number factor = factors[i][channel];
      weight = layer.steps[i].divides ? weight / factor : weight * factor;
    }
    return weight;
  }
};

// The orders in which optimizers fold a normalization.
inline constexpr size_t kFoldingWays = 4;

// How far from the nearest float a library may have made the factor of a channel: so many steps
// less or more, and none.
inline constexpr int kMostSteps = 2;
inline constexpr size_t kNudges = 2 * kMostSteps + 1;

// A layer folded in floats and doubles. Its weights are as many as the model's: they are computed
// where they are compared.
struct FoldedLayer {
  std::vector<float> weights;  // the layer's own; none if they cannot be read
  FoldedFactors<double> near;
  std::array<FoldedFactors<float>, kFoldingWays> ways;
  // With the factors of a normalization nudged, from less to more: made by FoldNudged().
  std::array<FoldedFactors<float>, kNudges> nudged;

  // The folded weight in doubles.
  double NearWeight(const FoldableLayer& layer, size_t i) const {
    return near.Weight(layer, static_cast<double>(weights[i]), layer.ChannelOf(i));
  }
};

FoldedLayer Fold(const FoldableLayer& layer);
void FoldNudged(const FoldableLayer& layer, FoldedLayer* folded);

// The greatest size of the folded weights.
double GreatestWeight(const FoldableLayer& layer, const FoldedLayer& folded);

// The nudged factor of each channel that gives all of its weights to the last bit, by `numbers` in
// these places. Nothing: there is none for some channel, or channels have so few weights that a
// fault would pass for a factor.
using Nudges = std::vector<size_t>;
std::optional<Nudges> NudgesOf(const std::vector<float>& numbers, const Places& places,
                               const FoldableLayer& layer, const FoldedLayer& folded);

// Its exact numbers; none if the weights cannot be read.
struct ExactLayer {
  Residues weights;
  std::vector<Residue> biases;
};
ExactLayer FoldExactly(const PrimeField& field, const FoldableLayer& layer);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FOLDABLE_LAYER_H_
