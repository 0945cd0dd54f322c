#include "feed/made_up/traced_size.h"

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

const Graph& RootOf(const GraphScope& scope) {
  return scope.outer == nullptr ? *scope.graph : RootOf(*scope.outer);
}

std::optional<TracedSize> SizeOfInput(const GraphScope& scope, absl::string_view name,
                                      int64_t axis) {
  for (const ValueInfo& input : RootOf(scope).inputs) {
    if (input.name != name || !input.type.shape.has_value()) continue;
    const auto rank = static_cast<int64_t>(input.type.shape->size());
    if (axis < -rank || axis >= rank) return std::nullopt;
    return TracedSize{std::nullopt, InputDim{input.name, axis < 0 ? axis + rank : axis}};
  }
  return std::nullopt;
}

std::optional<TracedSize> SizeAt(const GraphScope& scope, absl::string_view name, int64_t axis,
                                 int depth);

// Through a node that adds axes, or that keeps those before the ones that it splits.
std::optional<TracedSize> SizeInShape(const GraphScope& scope, const Node& node, int64_t axis,
                                      int depth) {
  const Tensor* constant = ConstantIn(scope, node.inputs[1]);
  if (constant == nullptr || constant->dtype() != DType::kInt64) return std::nullopt;
  const absl::StatusOr<Tensor> whole = constant->Contiguous();
  if (!whole.ok()) return std::nullopt;
  const int64_t* first = whole->data<int64_t>();
  const int64_t* last = first + whole->num_elements();
  if (axis < 0) {
    const bool fixed = node.op_type == "Reshape" && first != last && last[-1] > 0;
    return fixed ? std::optional<TracedSize>({last[-1], std::nullopt}) : std::nullopt;
  }
  if (node.op_type == "Unsqueeze") {
    if (std::any_of(first, last, [](int64_t added) { return added < 0; })) return std::nullopt;
    if (std::find(first, last, axis) != last) return TracedSize{1, std::nullopt};
    const auto before = std::count_if(first, last, [&](int64_t added) { return added < axis; });
    return SizeAt(scope, node.inputs[0], axis - before, depth + 1);
  }
  if (axis >= last - first ||
      !std::all_of(first, first + axis, [](int64_t size) { return size == 0 || size == -1; })) {
    return std::nullopt;
  }
  if (first[axis] > 0) return TracedSize{first[axis], std::nullopt};
  return SizeAt(scope, node.inputs[0], axis, depth + 1);
}

std::optional<TracedSize> SizeAt(const GraphScope& scope, absl::string_view name, int64_t axis,
                                 int depth) {
  constexpr int kDeepest = 64;
  if (name.empty() || depth > kDeepest) return std::nullopt;
  if (const Tensor* constant = ConstantIn(scope, name)) {
    const int64_t rank = constant->rank();
    if (axis < -rank || axis >= rank) return std::nullopt;
    return TracedSize{constant->dim(axis < 0 ? axis + rank : axis), std::nullopt};
  }
  const Node* node = ProducerIn(scope, name);
  if (node == nullptr) return SizeOfInput(scope, name, axis);
  if (node->inputs.empty()) return std::nullopt;
  if (node->op_type == "Transpose") {
    const auto* perm = AttributeOf<std::vector<int64_t>>(*node, "perm");
    if (perm != nullptr && axis < 0) axis += static_cast<int64_t>(perm->size());
    if (perm == nullptr || axis < 0 || axis >= static_cast<int64_t>(perm->size()))
      return std::nullopt;
    return SizeAt(scope, node->inputs[0], (*perm)[static_cast<size_t>(axis)], depth + 1);
  }
  if (IsOneOf(*node, {"Unsqueeze", "Reshape"}) && node->inputs.size() > 1 && axis >= -1) {
    return SizeInShape(scope, *node, axis, depth);
  }
  if (IsOneOf(*node, {"MatMul", "Gemm"})) {
    const bool last = axis == -1;
    return last ? SizeAt(scope, node->inputs[1], -1, depth + 1)
                : SizeAt(scope, node->inputs[0], axis, depth + 1);
  }
  if (IsOneOf(*node, {"Gather"}) && node->inputs.size() > 1 &&
      IntAttribute(*node, "axis").value_or(0) == 0) {
    return axis == -1 ? SizeAt(scope, node->inputs[0], -1, depth + 1)
                      : SizeAt(scope, node->inputs[1], axis, depth + 1);
  }
  if (node->op_type == "ArrayFeatureExtractor" && axis == -1) {
    const Tensor* columns = ConstantIn(scope, node->inputs[1]);
    return columns == nullptr ? std::nullopt
                              : std::optional<TracedSize>({columns->num_elements(), std::nullopt});
  }
  if (IsOneOf(*node, {"Cast", "Identity", "Abs", "Neg", "DequantizeLinear", "QuantizeLinear",
                      "Relu", "Tanh", "Sigmoid", "Add", "Mul", "Sub", "Div", "LayerNormalization",
                      "Dropout", "Softmax", "Gelu", "RMSNormalization"}) ||
      node->op_type == "RotaryEmbedding" || node->op_type == "Scaler" ||
      node->op_type == "Imputer") {
    return SizeAt(scope, node->inputs[0], axis, depth + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<TracedSize> SizeAlong(const GraphScope& scope, absl::string_view name, int64_t axis) {
  return SizeAt(scope, name, axis, 0);
}

const Tensor* TableIn(const GraphScope& scope, absl::string_view name) {
  constexpr int kMostCopies = 4;
  for (int step = 0; step < kMostCopies; ++step) {
    if (const Tensor* constant = ConstantIn(scope, name)) return constant;
    const Node* node = ProducerIn(scope, name);
    if (node == nullptr || !IsOneOf(*node, {"Identity", "Cast", "DequantizeLinear"})) break;
    name = node->inputs[0];
  }
  return nullptr;
}

std::optional<int64_t> LeastDim(const GraphScope& scope, absl::string_view table) {
  std::optional<int64_t> least;
  if (const Tensor* constant = ConstantIn(scope, table)) {
    for (const int64_t dim : constant->shape()) least = std::min(least.value_or(dim), dim);
  }
  return least;
}

bool OneIndexEach(const GraphScope& scope, const Node& node) {
  if (!IsOneOf(node, {"GatherND", "ScatterND"}) || node.inputs.size() < 2) return false;
  const auto width = SizeAlong(scope, node.inputs[1], -1);
  if (!width.has_value()) return false;
  if (width->fixed.has_value()) return *width->fixed == 1;
  if (!width->dim.has_value()) return false;
  for (const ValueInfo& input : RootOf(scope).inputs) {
    const auto axis = static_cast<size_t>(width->dim->axis);
    if (input.name != width->dim->input || !input.type.shape.has_value()) continue;
    return axis < input.type.shape->size() && (*input.type.shape)[axis].value == 1;
  }
  return false;
}

bool SelectsRows(const GraphScope& scope, const Node& node) {
  return node.op_type == "GatherND" && OneIndexEach(scope, node) &&
         IntAttribute(node, "batch_dims").value_or(0) == 0;
}

}  // namespace onnxcmp
