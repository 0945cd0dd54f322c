#include "compare/causes/folded/channel_layer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Weights with more elements are not examined.
constexpr int64_t kMostWeights = int64_t{1} << 23;

template <typename T>
T AttributeOr(const Node& node, absl::string_view name, T otherwise) {
  const auto* const given = AttributeOf<T>(node, name);
  return given == nullptr ? otherwise : *given;
}

// One number for each channel along an axis; a single number for all channels without one.
struct PerChannel {
  std::vector<double> numbers;
  std::optional<int> axis;

  double of(size_t channel) const { return numbers.size() == 1 ? numbers[0] : numbers[channel]; }
};

// Constants added to channels.
struct Shift {
  PerChannel constants;
  size_t scales = 0;  // number of products after it
};

// Position of an output channel in a tensor of weights: the axis of the channels has `outer`
// elements before it and `inner` after it, and with several groups the axis before it tells the
// group.
struct WeightLayout {
  int64_t outer = 1;
  int64_t channels = 1;  // along the axis
  int64_t inner = 1;
  int64_t groups = 1;
};

std::vector<std::vector<double>> ScaledWeights(const std::vector<double>& elements,
                                               const WeightLayout& layout, double factor) {
  std::vector<std::vector<double>> weights(static_cast<size_t>(layout.channels * layout.groups));
  const int64_t in_group = layout.outer / layout.groups;
  auto next = elements.begin();
  for (int64_t outer = 0; outer < layout.outer; ++outer) {
    for (int64_t channel = 0; channel < layout.channels; ++channel) {
      std::vector<double>& to =
          weights[static_cast<size_t>(outer / in_group * layout.channels + channel)];
      for (int64_t i = 0; i < layout.inner; ++i) to.push_back(factor * *next++);
    }
  }
  return weights;
}

// Layout of a layer's weights; nothing if their shape does not fit the operator.
std::optional<WeightLayout> LayoutOf(const Node& node, const Shape& shape) {
  const auto elements_from = [&](std::ptrdiff_t axis) {
    return std::accumulate(shape.begin() + axis, shape.end(), int64_t{1}, std::multiplies<>());
  };
  WeightLayout layout;
  if (node.op_type == "ConvTranspose") {
    layout.groups = AttributeOr<int64_t>(node, "group", 1);
    if (shape.size() < 3 || layout.groups <= 0 || shape[0] % layout.groups != 0 || shape[0] == 0) {
      return std::nullopt;
    }
    layout.outer = shape[0];
    layout.channels = shape[1];
    layout.inner = elements_from(2);
  } else if (node.op_type == "Conv" || node.op_type == "FusedConv") {
    if (shape.size() < 3) return std::nullopt;
    layout.channels = shape[0];
    layout.inner = elements_from(1);
  } else {
    if (shape.size() != 2) return std::nullopt;
    const bool transposed =
        node.op_type != "MatMul" && AttributeOr<int64_t>(node, "transB", 0) != 0;
    layout.outer = transposed ? 1 : shape[0];
    layout.channels = shape[transposed ? 0 : 1];
    layout.inner = transposed ? shape[1] : 1;
  }
  return layout;
}

bool IsLayer(absl::string_view op) {
  return op == "Conv" || op == "FusedConv" || op == "ConvTranspose" || op == "Gemm" ||
         op == "FusedGemm" || op == "MatMul";
}

bool IsMadeOfConstants(const SideGraph& graph, int r, int depth = 4) {
  if (r == kNone) return false;
  if (graph.IsConstant(r)) return true;
  const int n = graph.producer(r);
  return n != kNone && depth > 0 && absl::c_all_of(graph.Reads(n), [&](int read) {
           return IsMadeOfConstants(graph, read, depth - 1);
         });
}

class LayerFinder {
 public:
  LayerFinder(const SideGraph& graph, absl::FunctionRef<const Value&(int)> value)
      : graph_(graph), value_(value) {}

  std::optional<ChannelLayer> Find(int result) {
    int r = result;
    for (int hop = 0; hop < work_bounds::kLongHops && r != kNone; ++hop) {
      const int n = graph_.producer(r);
      if (n == kNone || graph_.node(n).node == nullptr || graph_.IsConstant(r)) return std::nullopt;
      const std::string& op = graph_.node(n).made->op_type;
      if (IsLayer(op)) return LayerOf(n);
      if (op == "BatchNormalization") {
        r = TakeNormalization(n);
      } else if (Absorbs(n, r)) {
        r = computed_;
      } else {
        r = BeforeActivation(n, r);
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Tensor> ConstantOf(int r) const {
    if (!IsMadeOfConstants(graph_, r) || !IsMeasurable(value_(r))) return std::nullopt;
    const Tensor& tensor = value_(r).tensor();
    if (!IsFloatingPoint(tensor.dtype()) || tensor.num_elements() > kMostWeights) {
      return std::nullopt;
    }
    return tensor;
  }

  // The input of a normalization; kNone unless it has constants and follows a layer directly.
  int TakeNormalization(int n) {
    const StreamNode& made = *graph_.node(n).made;
    const Node& node = *graph_.node(n).node;
    if (normalization_.has_value() || !scales_.empty() || !shifts_.empty() ||
        made.inputs.size() < 5 || AttributeOr<int64_t>(node, "training_mode", 0) != 0) {
      return kNone;
    }
    ChannelNormalization taken;
    taken.epsilon = static_cast<double>(AttributeOr<float>(node, "epsilon", 1e-5F));
    size_t i = 1;
    for (std::vector<double>* numbers : {&taken.scale, &taken.bias, &taken.mean, &taken.variance}) {
      const std::optional<Tensor> tensor = ConstantOf(made.inputs[i++]);
      if (!tensor.has_value()) return kNone;
      *numbers = ElementsOf(*tensor);
      if (numbers->size() != taken.scale.size()) return kNone;
    }
    normalization_ = std::move(taken);
    return made.inputs[0];
  }

  // True if a node adds constants to channels or multiplies them; then `computed_` is its other
  // input.
  bool Absorbs(int n, int result) {
    const StreamNode& made = *graph_.node(n).made;
    const std::string& op = made.op_type;
    const bool multiplies = op == "Mul" || op == "Div";
    if ((!multiplies && op != "Add" && op != "Sub") || made.inputs.size() != 2) return false;
    const bool first = IsMadeOfConstants(graph_, made.inputs[0]);
    if (first == IsMadeOfConstants(graph_, made.inputs[1]) ||
        (first && (op == "Div" || op == "Sub"))) {
      return false;
    }
    const std::optional<Tensor> tensor = ConstantOf(made.inputs[first ? 0 : 1]);
    const std::optional<Shape>& shape = graph_.result(result).shape;
    if (!tensor.has_value() || !shape.has_value()) return false;
    PerChannel constants;
    for (size_t d = 0; d < tensor->shape().size(); ++d) {
      if (tensor->shape()[d] == 1) continue;
      if (constants.axis.has_value()) return false;
      constants.axis = static_cast<int>(shape->size() - tensor->shape().size() + d);
    }
    constants.numbers = ElementsOf(*tensor);
    for (double& number : constants.numbers) {
      if (op == "Div") number = 1 / number;
      if (op == "Sub") number = -number;
    }
    if (multiplies) {
      scales_.push_back(std::move(constants));
    } else {
      shifts_.push_back({std::move(constants), scales_.size()});
    }
    computed_ = made.inputs[first ? 1 : 0];
    return true;
  }

  // Nodes after an activation are no part of the layer.
  int BeforeActivation(int n, int result) {
    // Where another normalization stands, none is folded.
    const std::string& op = graph_.node(n).made->op_type;
    if (normalization_.has_value() || absl::EndsWith(op, "Normalization")) return kNone;
    int before = kNone;
    for (const int read : graph_.Reads(n)) {
      if (IsMadeOfConstants(graph_, read)) continue;
      if (before != kNone) return kNone;
      before = read;
    }
    if (before == kNone || graph_.result(before).shape != graph_.result(result).shape) return kNone;
    scales_.clear();
    shifts_.clear();
    return before;
  }

  std::optional<ChannelLayer> LayerOf(int n) const {
    const StreamNode& made = *graph_.node(n).made;
    const Node& node = *graph_.node(n).node;
    const std::optional<Tensor> weights =
        made.inputs.size() < 2 ? std::nullopt : ConstantOf(made.inputs[1]);
    const std::optional<Shape>& given = graph_.result(made.outputs[0]).shape;
    if (!weights.has_value() || !given.has_value()) return std::nullopt;
    const std::optional<WeightLayout> layout = LayoutOf(node, weights->shape());
    if (!layout.has_value()) return std::nullopt;
    const bool is_gemm = node.op_type == "Gemm" || node.op_type == "FusedGemm";
    const double factor = is_gemm ? AttributeOr<float>(node, "alpha", 1) : 1;
    const double bias_factor = is_gemm ? AttributeOr<float>(node, "beta", 1) : 1;
    // Axis of the channels in the layer's output.
    const int axis = node.op_type == "MatMul" ? static_cast<int>(given->size()) - 1 : 1;
    // BatchNormalization has its channels along the second axis.
    if (normalization_.has_value() && axis != 1) return std::nullopt;
    ChannelLayer layer;
    layer.input = made.inputs[0];
    layer.rounding = EpsilonOf(weights->dtype());
    layer.weights = ScaledWeights(ElementsOf(*weights), *layout, factor);
    layer.normalization = normalization_;
    layer.bias.resize(layer.channels());
    if (made.inputs.size() > 2 && made.inputs[2] != kNone) {
      const std::optional<Tensor> bias = ConstantOf(made.inputs[2]);
      if (!bias.has_value()) return std::nullopt;
      const std::vector<double> numbers = ElementsOf(*bias);
      if (numbers.size() != 1 && numbers.size() != layer.channels()) return std::nullopt;
      for (size_t k = 0; k < layer.channels(); ++k) {
        layer.bias[k] = bias_factor * numbers[numbers.size() == 1 ? 0 : k];
      }
      layer.has_bias = true;
    }
    if (normalization_.has_value() && normalization_->scale.size() != layer.channels()) {
      return std::nullopt;
    }
    if (!AbsorbInto(axis, &layer)) return std::nullopt;
    return layer;
  }

  // Folds the factors and shifts of channels after a layer into its numbers. False if they are not
  // along the axis of the channels.
  bool AbsorbInto(int axis, ChannelLayer* layer) const {
    const auto is_by_channel = [&](const PerChannel& constants) {
      return constants.numbers.size() == 1 ||
             (constants.axis == axis && constants.numbers.size() == layer->channels());
    };
    if (!absl::c_all_of(scales_, is_by_channel) ||
        !absl::c_all_of(shifts_, [&](const Shift& s) { return is_by_channel(s.constants); })) {
      return false;
    }
    for (size_t k = 0; k < layer->channels(); ++k) {
      const auto product_of = [&](size_t scales) {
        double product = 1;
        for (size_t i = 0; i < scales; ++i) product *= scales_[i].of(k);
        return product;
      };
      const double scale = product_of(scales_.size());
      for (double& weight : layer->weights[k]) weight *= scale;
      layer->bias[k] *= scale;
      for (const Shift& shift : shifts_) {
        layer->bias[k] += shift.constants.of(k) * product_of(shift.scales);
      }
    }
    layer->has_bias = layer->has_bias || !shifts_.empty();
    return true;
  }

  const SideGraph& graph_;
  const absl::FunctionRef<const Value&(int)> value_;
  std::optional<ChannelNormalization> normalization_;
  // In order from the result back.
  std::vector<PerChannel> scales_;
  std::vector<Shift> shifts_;
  int computed_ = kNone;
};

}  // namespace

std::optional<ChannelLayer> LayerBefore(const SideGraph& graph, int result,
                                        absl::FunctionRef<const Value&(int r)> value) {
  return LayerFinder(graph, value).Find(result);
}

int EndOfLayer(const SideGraph& graph, int result) {
  const auto reader_of = [&](int r) -> const StreamNode* {
    if (graph.readers(r).size() != 1) return nullptr;
    const StreamNode& reader = *graph.node(graph.readers(r).front()).made;
    return reader.outputs.empty() || reader.outputs[0] == kNone ? nullptr : &reader;
  };
  const int n = graph.producer(result);
  if (n == kNone) return result;
  const StreamNode& made = *graph.node(n).made;
  const auto adds_constants = [&](const StreamNode& node) {
    return node.op_type == "Add" &&
           absl::c_any_of(node.inputs, [&](int read) { return IsMadeOfConstants(graph, read); });
  };
  int r = result;
  const StreamNode* reader = reader_of(r);
  const bool has_bias = made.inputs.size() > 2 && made.inputs[2] != kNone;
  if (IsLayer(made.op_type) && !has_bias && reader != nullptr && adds_constants(*reader)) {
    r = reader->outputs[0];
    reader = reader_of(r);
  }
  const bool is_end = IsLayer(made.op_type) || adds_constants(made);
  return is_end && reader != nullptr && reader->op_type == "BatchNormalization" ? reader->outputs[0]
                                                                                : r;
}

}  // namespace onnxcmp
