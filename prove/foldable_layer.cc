#include "prove/foldable_layer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "prove/field/meant_constant.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "prove/field_value.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Arithmetic in floats, in doubles and in the field, for one formula in all three.
template <typename Real>
struct InReals {
  using Number = Real;
  int steps = 0;  // by which the factor of a normalization is nudged
  Real Nudged(Real factor) const {
    for (int i = 0; i < std::abs(steps); ++i) {
      factor = std::nextafter(factor, steps < 0 ? -std::numeric_limits<Real>::infinity()
                                                : std::numeric_limits<Real>::infinity());
    }
    return factor;
  }
  static Real Add(Real a, Real b) { return a + b; }
  static Real Sub(Real a, Real b) { return a - b; }
  static Real Mul(Real a, Real b) { return a * b; }
  static Real Div(Real a, Real b) { return a / b; }
  static Real Sqrt(Real a) { return std::sqrt(a); }
};
struct InField {
  using Number = Residue;
  const PrimeField* field;
  static Residue Nudged(Residue factor) { return factor; }
  Residue Add(Residue a, Residue b) const { return field->Add(a, b); }
  Residue Sub(Residue a, Residue b) const { return field->Sub(a, b); }
  Residue Mul(Residue a, Residue b) const { return field->Mul(a, b); }
  Residue Div(Residue a, Residue b) const { return field->Div(a, b); }
  Residue Sqrt(Residue a) const { return field->Sqrt(a); }
};

template <typename Number>
Number At(const ByChannel& values, size_t channel) {
  const size_t i = values.numbers.size() == 1 ? 0 : channel;
  if constexpr (std::is_same_v<Number, Residue>) {
    return values.residues[i];
  } else {
    return static_cast<Number>(values.numbers[i]);
  }
}

// The order of torch's exporter, whose roots and quotients are not all the nearest floats.
constexpr int kNudgedWay = static_cast<int>(kFoldingWays);

// The factor of a channel's weights and its bias, after a step more.
template <typename A>
struct ChannelState {
  typename A::Number bias{};
  double size = 0;  // of the terms of the bias

  // Returns the factor of the weights.
  typename A::Number Take(const A& in, const LayerStep& step, size_t channel, int way) {
    using Number = typename A::Number;
    const auto at = [&](size_t i) { return At<Number>(step.numbers[i], channel); };
    constexpr bool is_exact = std::is_same_v<Number, Residue>;
    const auto grow = [&](double by) { size = std::max(size, std::fabs(by)); };
    if (step.op_type == "Mul" || step.op_type == "Div") {
      const Number factor = step.op_type == "Mul" ? at(0) : in.Div(Number{1}, at(0));
      const Number divided = step.op_type == "Div" ? in.Div(bias, at(0)) : in.Mul(bias, at(0));
      if constexpr (!is_exact) size *= std::fabs(static_cast<double>(factor));
      bias = divided;
      return factor;
    }
    if (step.op_type == "Add" || step.op_type == "Sub") {
      if constexpr (!is_exact) grow(static_cast<double>(at(0)));
      bias = step.op_type == "Add" ? in.Add(bias, at(0)) : in.Sub(bias, at(0));
      return Number{1};
    }
    Number epsilon;
    if constexpr (is_exact) {
      epsilon = step.exact_epsilon;
    } else {
      epsilon = static_cast<Number>(step.epsilon);
    }
    const Number root = in.Sqrt(in.Add(at(3), epsilon));
    const Number inverse = in.Div(Number{1}, root);
    const bool divides = way == 0 || way == kNudgedWay;
    const Number factor = in.Nudged(divides ? in.Div(at(0), root) : in.Mul(at(0), inverse));
    const Number centered = in.Sub(bias, at(2));
    if constexpr (!is_exact) {
      grow(static_cast<double>(at(2)));
      size *= std::fabs(static_cast<double>(factor));
      grow(static_cast<double>(at(1)));
    }
    if (way == 2) {
      bias = in.Add(in.Mul(in.Mul(centered, inverse), at(0)), at(1));
    } else if (way == 3) {
      bias = in.Add(in.Mul(bias, factor), in.Sub(at(1), in.Mul(at(2), factor)));
    } else {
      bias = in.Add(in.Mul(centered, factor), at(1));
    }
    return factor;
  }
};

template <typename A>
FoldedFactors<typename A::Number> FactorsIn(const A& in, const FoldableLayer& layer, int way) {
  using Number = typename A::Number;
  FoldedFactors<Number> out;
  std::vector<ChannelState<A>> states(layer.channels);
  for (size_t c = 0; c < layer.channels; ++c) {
    if (layer.bias.numbers.empty()) continue;
    states[c].bias = At<Number>(layer.bias, c);
    states[c].size = std::fabs(At<double>(layer.bias, c));
  }
  for (const LayerStep& step : layer.steps) {
    std::vector<Number>& factors = out.factors.emplace_back(layer.channels);
    for (size_t c = 0; c < layer.channels; ++c) {
      factors[c] = states[c].Take(in, step, c, way);
      // In the field a quotient is a product.
      if (step.divides && !std::is_same_v<Number, Residue>) {
        factors[c] = At<Number>(step.numbers[0], c);
      }
    }
  }
  for (const ChannelState<A>& state : states) {
    out.biases.push_back(state.bias);
    out.sizes.push_back(state.size);
  }
  return out;
}

// Numbers of a tensor in memory, of one C++ type.
template <typename Number>
std::vector<Number> ReadNumbers(const Tensor& tensor) {
  std::vector<Number> numbers;
  const absl::StatusOr<Tensor> in_memory = tensor.InMemory(nullptr);
  if (!in_memory.ok()) return numbers;
  const absl::StatusOr<Tensor> whole = in_memory->Contiguous();
  if (!whole.ok()) return numbers;
  numbers.resize(static_cast<size_t>(whole->num_elements()));
  LoadElements<Number>(whole->dtype(), whole->raw_data(), 0, whole->num_elements(), numbers.data());
  return numbers;
}

class LayerFinder {
 public:
  LayerFinder(const PrimeField& field, const Graph& graph, const FieldValues& known)
      : field_(field), scope_(MakeScope(graph)), known_(known) {
    for (const ValueInfo& output : graph.outputs) outputs_.insert(output.name);
  }

  // The layers with what comes after them, one more step each.
  std::vector<FoldableLayer> Find() const {
    std::vector<FoldableLayer> layers;
    for (const Node& node : scope_->graph->nodes) {
      std::optional<FoldableLayer> layer = LayerOf(node);
      if (!layer.has_value()) continue;
      const Node* at = &node;
      while (const Node* const next = OnlyReader(at->outputs.front())) {
        std::optional<LayerStep> step = StepOf(*next, at->outputs.front(), *layer);
        if (!step.has_value()) break;
        layer->steps.push_back(*std::move(step));
        layers.push_back(*layer);
        at = next;
      }
    }
    return layers;
  }

 private:
  const Node* OnlyReader(const std::string& name) const {
    const auto found = scope_->readers.find(name);
    const bool only = found != scope_->readers.end() && found->second.size() == 1;
    return only && !outputs_.contains(name) ? found->second[0].node : nullptr;
  }

  const FieldValue* Known(const Node& node, size_t input) const {
    if (input >= node.inputs.size()) return nullptr;
    const auto found = known_.find(node.inputs[input]);
    const bool is_float = found != known_.end() && found->second.number.is_tensor() &&
                          found->second.number.tensor().dtype() == DType::kFloat;
    return is_float ? &found->second : nullptr;
  }

  static int64_t IntOf(const Node& node, const char* name, int64_t fallback) {
    return IntAttribute(node, name).value_or(fallback);
  }
  static float FloatOf(const Node& node, const char* name, float fallback) {
    const auto* const number = AttributeOf<float>(node, name);
    return number != nullptr ? *number : fallback;
  }

  std::optional<ByChannel> NumbersOf(const FieldValue* value, size_t channels) const {
    if (value == nullptr) return std::nullopt;
    ByChannel made;
    made.numbers = NumbersIn(value->number.tensor());
    const absl::StatusOr<Residues> residues = ResiduesOfNumbers(field_, *value);
    if (!residues.ok() || made.numbers.size() != residues->values.size() ||
        (made.numbers.size() != channels && made.numbers.size() != 1)) {
      return std::nullopt;
    }
    made.residues.assign(residues->values.begin(), residues->values.end());
    return made;
  }

  std::optional<FoldableLayer> LayerOf(const Node& node) const {
    const bool conv = node.op_type == "Conv";
    const bool transposed = node.op_type == "ConvTranspose";
    const bool gemm = node.op_type == "Gemm";
    if (node.domain != kOnnxDomain || !(conv || gemm || node.op_type == "MatMul" ||
                                        (transposed && IntOf(node, "group", 1) == 1))) {
      return std::nullopt;
    }
    if (gemm && (FloatOf(node, "alpha", 1) != 1 || FloatOf(node, "beta", 1) != 1)) {
      return std::nullopt;
    }
    const FieldValue* const weight = Known(node, 1);
    if (weight == nullptr || weight->number.tensor().rank() < 2) return std::nullopt;
    FoldableLayer layer;
    layer.weight_name = node.inputs[1];
    layer.weight = *weight;
    const Shape& shape = layer.shape();
    if (node.op_type == "MatMul" && shape.size() != 2) return std::nullopt;
    layer.channel_axis = conv || (gemm && IntOf(node, "transB", 0) != 0) ? 0 : 1;
    layer.channels = static_cast<size_t>(shape[layer.channel_axis]);
    for (size_t i = layer.channel_axis + 1; i < shape.size(); ++i) {
      layer.inner *= static_cast<size_t>(shape[i]);
    }
    if (layer.channels == 0) return std::nullopt;
    if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
      std::optional<ByChannel> bias = NumbersOf(Known(node, 2), layer.channels);
      if (!bias.has_value()) return std::nullopt;
      layer.bias = *std::move(bias);
      layer.bias_name = node.inputs[2];
    }
    return layer;
  }

  // True if numbers of this shape are by channel where `name`, the layer's result, is broadcast.
  static bool LiesAlongChannels(const Shape& shape, const FoldableLayer& layer) {
    const size_t rank = layer.shape().size();
    const bool image = rank > 2;
    size_t places = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 1) continue;
      const size_t from_end = shape.size() - i;
      if (from_end != (image ? rank - 1 : 1)) return false;
      ++places;
    }
    return places <= 1 && shape.size() <= rank;
  }

  std::optional<LayerStep> StepOf(const Node& node, const std::string& name,
                                  const FoldableLayer& layer) const {
    LayerStep step;
    step.op_type = node.op_type;
    step.divides = node.op_type == "Div";
    if (node.domain != kOnnxDomain || node.inputs.size() < 2) return std::nullopt;
    if (node.op_type == "BatchNormalization") {
      if (node.inputs.front() != name || node.inputs.size() < 5 || node.outputs.size() != 1) {
        return std::nullopt;
      }
      for (size_t i = 1; i < 5; ++i) {
        std::optional<ByChannel> numbers = NumbersOf(Known(node, i), layer.channels);
        if (!numbers.has_value()) return std::nullopt;
        step.numbers.push_back(*std::move(numbers));
      }
      step.epsilon = FloatOf(node, "epsilon", 1e-5F);
      step.exact_epsilon = MeaningOf(field_, step.epsilon, DType::kFloat).residue;
      return step;
    }
    const bool turns = node.op_type == "Add" || node.op_type == "Mul";
    if (!turns && node.op_type != "Sub" && node.op_type != "Div") return std::nullopt;
    const size_t other = node.inputs.front() == name ? 1 : 0;
    if (node.inputs[1 - other] != name || (other == 0 && !turns)) return std::nullopt;
    const FieldValue* const value = Known(node, other);
    std::optional<ByChannel> numbers = NumbersOf(value, layer.channels);
    if (!numbers.has_value() || !LiesAlongChannels(value->number.tensor().shape(), layer)) {
      return std::nullopt;
    }
    step.numbers.push_back(*std::move(numbers));
    return step;
  }

  const PrimeField& field_;
  const std::unique_ptr<GraphScope> scope_;
  const FieldValues& known_;
  absl::flat_hash_set<absl::string_view> outputs_;
};

}  // namespace

absl::StatusOr<Residues> ResiduesOfNumbers(const PrimeField& field, const FieldValue& value) {
  if (value.residues.defined()) return FromTensor(value.residues);
  return EmbedTensor(field, value.number.tensor(), nullptr);
}

std::vector<double> NumbersIn(const Tensor& tensor) { return ReadNumbers<double>(tensor); }
std::vector<float> FloatsIn(const Tensor& tensor) { return ReadNumbers<float>(tensor); }

std::vector<FoldableLayer> FoldableLayers(const PrimeField& field, const Graph& graph,
                                          const FieldValues& known) {
  return LayerFinder(field, graph, known).Find();
}

ExactLayer FoldExactly(const PrimeField& field, const FoldableLayer& layer) {
  absl::StatusOr<Residues> weights = ResiduesOfNumbers(field, layer.weight);
  if (!weights.ok()) return {};
  FoldedFactors<Residue> folded = FactorsIn(InField{&field}, layer, 0);
  // One factor of each channel for all steps: products in the field have no order.
  std::vector<Residue> factors(layer.channels, 1);
  for (const std::vector<Residue>& of_step : folded.factors) {
    for (size_t c = 0; c < layer.channels; ++c) factors[c] = field.Mul(factors[c], of_step[c]);
  }
  Residue* const numbers = weights->values.data();
  for (size_t begin = 0; begin < weights->values.size(); begin += layer.inner) {
    const Residue factor = factors[layer.ChannelOf(begin)];
    const size_t end = std::min(begin + layer.inner, weights->values.size());
    for (size_t i = begin; i < end; ++i) numbers[i] = field.Mul(numbers[i], factor);
  }
  return {*std::move(weights), std::move(folded.biases)};
}

FoldedLayer Fold(const FoldableLayer& layer) {
  FoldedLayer folded;
  folded.weights = FloatsIn(layer.weight.number.tensor());
  folded.near = FactorsIn(InReals<double>(), layer, 0);
  for (size_t way = 0; way < kFoldingWays; ++way) {
    folded.ways[way] = FactorsIn(InReals<float>(), layer, static_cast<int>(way));
  }
  return folded;
}

void FoldNudged(const FoldableLayer& layer, FoldedLayer* folded) {
  for (size_t i = 0; i < kNudges; ++i) {
    folded->nudged[i] =
        FactorsIn(InReals<float>{static_cast<int>(i) - kMostSteps}, layer, kNudgedWay);
  }
}

double GreatestWeight(const FoldableLayer& layer, const FoldedLayer& folded) {
  double greatest = 0;
  for (size_t begin = 0; begin < folded.weights.size(); begin += layer.inner) {
    const size_t channel = layer.ChannelOf(begin);
    const size_t end = std::min(begin + layer.inner, folded.weights.size());
    float of_run = 0;
    for (size_t i = begin; i < end; ++i) of_run = std::max(of_run, std::fabs(folded.weights[i]));
    greatest = std::max(greatest,
                        std::fabs(folded.near.Weight(layer, static_cast<double>(of_run), channel)));
  }
  return greatest;
}

std::optional<Nudges> NudgesOf(const std::vector<float>& numbers, const Places& places,
                               const FoldableLayer& layer, const FoldedLayer& folded) {
  constexpr size_t kLeastWeights = 3;
  if (folded.weights.size() < kLeastWeights * layer.channels) return std::nullopt;
  std::vector<std::array<bool, kNudges>> agrees(layer.channels);
  for (std::array<bool, kNudges>& channel : agrees) channel.fill(true);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t at = places[i];
    if (at == kNoPlace) continue;
    const size_t number = layer.ChannelOf(at);
    std::array<bool, kNudges>& channel = agrees[number];
    for (size_t k = 0; k < kNudges; ++k) {
      channel[k] =
          channel[k] && numbers[i] == folded.nudged[k].Weight(layer, folded.weights[at], number);
    }
  }
  Nudges nudges;
  for (const std::array<bool, kNudges>& channel : agrees) {
    constexpr size_t kNone = kMostSteps;
    const auto found = std::find(channel.begin(), channel.end(), true);
    if (found == channel.end()) return std::nullopt;
    nudges.push_back(channel[kNone] ? kNone : static_cast<size_t>(found - channel.begin()));
  }
  return nudges;
}

}  // namespace onnxcmp
