// Layers with weights, and later nodes that an optimizer may fold into these.
#ifndef ONNXCMP_PROVE_FOLDABLE_LAYER_H_
#define ONNXCMP_PROVE_FOLDABLE_LAYER_H_

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_value.h"

namespace onnxcmp {

// The numbers of a tensor; none if they cannot be read.
std::vector<double> NumbersIn(const Tensor& tensor);

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

// Weights and biases after folding.
template <typename Number>
struct FoldedNumbers {
  std::vector<Number> weights, biases;
  std::vector<double> sizes;  // of the terms that biases are summed from
};

// The orders in which optimizers fold a normalization.
inline constexpr size_t kFoldingWays = 4;

// How far from the nearest float a library may have made the factor of a channel: so many steps
// less or more, and none.
inline constexpr int kMostSteps = 2;
inline constexpr size_t kNudges = 2 * kMostSteps + 1;

struct FoldedLayer {
  FoldedNumbers<Residue> exact;
  FoldedNumbers<double> near;
  std::array<FoldedNumbers<float>, kFoldingWays> ways;
  // With the factors of a normalization nudged, from less to more: made by FoldNudged().
  std::array<FoldedNumbers<float>, kNudges> nudged;
};

// Its exact numbers; none if the weights cannot be read.
FoldedNumbers<Residue> FoldExactly(const PrimeField& field, const FoldableLayer& layer);
// Its numbers alone, in doubles: as FoldedLayer::near.
FoldedNumbers<double> FoldNear(const FoldableLayer& layer);

// `near`: what FoldNear() gives.
FoldedLayer Fold(const PrimeField& field, const FoldableLayer& layer, FoldedNumbers<double> near);
void FoldNudged(const FoldableLayer& layer, FoldedLayer* folded);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FOLDABLE_LAYER_H_
