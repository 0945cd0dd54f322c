#include "compare/inside/folded_weights.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr float kEpsilonOfNormalization = 1e-5F;

class FoldedLayers {
 public:
  explicit FoldedLayers(const Graph& graph) : scope_(MakeScope(graph)) {}

  std::vector<FoldedWeight> All() const {
    std::vector<FoldedWeight> folded;
    for (const Node& node : scope_->graph->nodes) {
      const std::optional<size_t> axis = ChannelAxis(node);
      if (!axis.has_value() || node.outputs.empty()) continue;
      const auto readers = scope_->readers.find(node.outputs[0]);
      if (readers == scope_->readers.end() || readers->second.size() != 1) continue;
      const Node& next = *readers->second.front().node;
      if (next.op_type == "BatchNormalization" && next.inputs.size() >= 5 &&
          next.inputs[0] == node.outputs[0]) {
        Add(node, *axis, next, &folded);
      }
    }
    return folded;
  }

 private:
  // The axis of a layer's weight that its channels are along.
  std::optional<size_t> ChannelAxis(const Node& node) const {
    if (node.inputs.size() < 2) return std::nullopt;
    if (node.op_type == "Conv") return 0;
    const Tensor* const weight = Constant(node.inputs[1]);
    if (weight == nullptr || weight->rank() != 2) return std::nullopt;
    if (node.op_type == "MatMul") return 1;
    if (node.op_type != "Gemm") return std::nullopt;
    return IntAttribute(node, "transB").value_or(0) != 0 ? 0 : 1;
  }

  const Tensor* Constant(absl::string_view name) const {
    const Tensor* const constant = ConstantIn(*scope_, name);
    return constant == nullptr || constant->dtype() != DType::kFloat ? nullptr : constant;
  }

  static double EpsilonOf(const Node& normalization) {
    const auto* const given = AttributeOf<float>(normalization, "epsilon");
    return given == nullptr ? kEpsilonOfNormalization : *given;
  }

  static std::optional<Tensor> Made(const std::vector<double>& elements, const Shape& shape) {
    absl::StatusOr<Tensor> made = Tensor::Allocate(DType::kFloat, shape);
    if (!made.ok()) return std::nullopt;
    auto* const to = made->mutable_data<float>();
    for (size_t i = 0; i < elements.size(); ++i) to[i] = static_cast<float>(elements[i]);
    return *std::move(made);
  }

  void Add(const Node& layer, size_t axis, const Node& normalization,
           std::vector<FoldedWeight>* folded) const {
    const Tensor* const weight = Constant(layer.inputs[1]);
    std::vector<std::vector<double>> numbers;  // scale, offset, mean, variance
    for (size_t i = 1; i < 5; ++i) {
      const Tensor* const one = Constant(normalization.inputs[i]);
      if (one == nullptr || weight == nullptr || weight->rank() <= static_cast<int>(axis) ||
          one->num_elements() != weight->shape()[axis]) {
        return;
      }
      numbers.push_back(ElementsOf(*one));
    }
    std::vector<double> bias(numbers[0].size());
    if (layer.inputs.size() > 2 && !layer.inputs[2].empty()) {
      const Tensor* const own = Constant(layer.inputs[2]);
      if (own == nullptr || own->num_elements() != std::ssize(bias)) return;
      bias = ElementsOf(*own);
    }
    const double epsilon = EpsilonOf(normalization);
    std::vector<double> factors(bias.size());
    for (size_t c = 0; c < factors.size(); ++c) {
      factors[c] = numbers[0][c] / std::sqrt(numbers[3][c] + epsilon);
      bias[c] = (bias[c] - numbers[2][c]) * factors[c] + numbers[1][c];
    }
    std::vector<double> elements = ElementsOf(*weight);
    size_t inner = 1;
    for (size_t a = axis + 1; a < weight->shape().size(); ++a) {
      inner *= static_cast<size_t>(weight->shape()[a]);
    }
    for (size_t i = 0; i < elements.size(); ++i) elements[i] *= factors[i / inner % factors.size()];
    for (auto& [of, shape] :
         {std::pair(&elements, weight->shape()), std::pair(&bias, Shape{std::ssize(bias)})}) {
      std::optional<Tensor> value = Made(*of, shape);
      if (value.has_value()) folded->push_back({layer.inputs[1], *std::move(value)});
    }
  }

  const std::unique_ptr<GraphScope> scope_;
};

}  // namespace

std::vector<FoldedWeight> FoldedWeightsOf(const Graph& graph) { return FoldedLayers(graph).All(); }

}  // namespace onnxcmp
