#include "compare/quantization/quant_params.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Input slots of integers and of their parameters; for an output, `integers` is an output slot.
struct Slots {
  int integers = 0;
  int scale = 0;
  int zero_point = 0;
  bool output = false;
  // Axis of several scales; counted from the end if negative.
  int64_t axis = 0;
};

int64_t IntegerAttribute(const Node* node, absl::string_view name, int64_t otherwise) {
  return node == nullptr ? otherwise : IntAttribute(*node, name).value_or(otherwise);
}

// Input orders of ONNX's schemas and onnxruntime's contrib schemas. DynamicQuantizeLinear is
// missing, since it computes its scale itself.
std::vector<Slots> SlotsOf(const StreamNode& made, const Node* node) {
  using List = std::vector<Slots>;
  static const auto* const kOperators = new absl::flat_hash_map<absl::string_view, List>({
      {"QLinearConv", {{0, 1, 2, false, 1}, {3, 4, 5, false, 0}, {0, 6, 7, true, 1}}},
      {"QLinearMatMul", {{0, 1, 2, false, -2}, {3, 4, 5, false, -1}, {0, 6, 7, true, -1}}},
      {"QLinearAdd", {{0, 1, 2}, {3, 4, 5}, {0, 6, 7, true}}},
      {"QLinearMul", {{0, 1, 2}, {3, 4, 5}, {0, 6, 7, true}}},
      {"QLinearSigmoid", {{0, 1, 2}, {0, 3, 4, true}}},
      {"QLinearLeakyRelu", {{0, 1, 2}, {0, 3, 4, true}}},
      {"QLinearSoftmax", {{0, 1, 2}, {0, 3, 4, true}}},
      {"QLinearGlobalAveragePool", {{0, 1, 2}, {0, 3, 4, true}}},
      {"QLinearAveragePool", {{0, 1, 2}, {0, 3, 4, true}}},
      {"QLinearReduceMean", {{0, 1, 2}, {0, 3, 4, true}}},
      {"QLinearWhere", {{1, 2, 3}, {4, 5, 6}, {0, 7, 8, true}}},
      {"MatMulIntegerToFloat", {{0, 2, 4, false, -2}, {1, 3, 5, false, -1}}},
      {"DynamicQuantizeMatMul", {{1, 2, 3, false, -1}}},
      {"QAttention", {{0, 3, 6}, {1, 4, 7, false, -1}}},
  });
  if (made.op_type == "QuantizeLinear") {
    return {{0, 1, 2, true, IntegerAttribute(node, "axis", 1)}};
  }
  if (made.op_type == "DequantizeLinear") {
    return {{0, 1, 2, false, IntegerAttribute(node, "axis", 1)}};
  }
  if (made.op_type == "QGemm") {
    const int64_t b = IntegerAttribute(node, "transB", 0) != 0 ? 0 : 1;
    List slots = {{0, 1, 2, false, 0}, {3, 4, 5, false, b}};
    // Without a scale the result is float.
    if (made.inputs.size() > 7 && made.inputs[7] != kNone) slots.push_back({0, 7, 8, true, 1});
    return slots;
  }
  if (made.op_type == "QLinearConcat") {
    List slots = {{0, 0, 1, true}};
    for (int i = 2; i + 1 < static_cast<int>(made.inputs.size()); i += 3) {
      slots.push_back({i, i + 1, i + 2});
    }
    return slots;
  }
  const auto it = kOperators->find(made.op_type);
  return it == kOperators->end() ? List() : it->second;
}

int InSlot(const FewResults& results, int slot) {
  return Index(slot) < results.size() ? results[Index(slot)] : kNone;
}

double GreatestInteger(DType dtype) {
  const int bits = BitWidth(dtype);
  return std::ldexp(1.0, IsSignedInteger(dtype) ? bits - 1 : bits) - 1;
}
double LeastInteger(DType dtype) {
  return IsSignedInteger(dtype) ? -std::ldexp(1.0, BitWidth(dtype) - 1) : 0;
}

}  // namespace

QuantParamsByResult::QuantParamsByResult(const SideGraph& graph)
    : graph_(graph),
      written_(graph.stream().results.size()),
      read_(graph.stream().results.size()),
      parameter_(graph.stream().results.size()) {
  for (size_t n = 0; n < graph.nodes().size(); ++n) AddNode(graph, static_cast<int>(n));
}

void QuantParamsByResult::AddNode(const SideGraph& graph, int n) {
  const SideGraph::GraphNode& node = graph.node(n);
  const StreamNode& made = *node.made;
  absl::flat_hash_set<int> parameters;
  const int64_t block = IntegerAttribute(node.node, "block_size", 0);
  for (const Slots& slots : SlotsOf(made, node.node)) {
    const int integers = InSlot(slots.output ? made.outputs : made.inputs, slots.integers);
    QuantParams params;
    params.scale = InSlot(made.inputs, slots.scale);
    params.zero_point = InSlot(made.inputs, slots.zero_point);
    params.axis = slots.axis;
    params.block = block;
    for (const int parameter : {params.scale, params.zero_point}) {
      if (parameter != kNone) parameters.insert(parameter);
    }
    if (integers == kNone || params.scale == kNone) continue;
    if (!IsInteger(graph.result(integers).dtype)) continue;
    std::optional<QuantParams>& known = (slots.output ? written_ : read_)[Index(integers)];
    if (!known.has_value()) known = params;
  }
  if (made.op_type == "DynamicQuantizeLinear" && InSlot(made.outputs, 0) != kNone) {
    written_[Index(made.outputs[0])] =
        QuantParams{InSlot(made.outputs, 1), InSlot(made.outputs, 2), 0, 0};
  }
  // Several scales keep their axis only if the axes stay in place.
  if (HasTrait(made, OperatorTrait::kMoves) && HasTrait(made, OperatorTrait::kOneDataInput) &&
      !made.inputs.empty() && made.inputs[0] != kNone) {
    const int from = made.inputs[0];
    const int to = InSlot(made.outputs, 0);
    if (to != kNone && written_[Index(from)].has_value() && IsInteger(graph.result(to).dtype)) {
      written_[Index(to)] = written_[Index(from)];
    }
  }
  for (const int r : parameters) {
    const bool only =
        std::all_of(graph.readers(r).begin(), graph.readers(r).end(),
                    [&](int reader) { return Quantizes(graph.node(reader).made->op_type); });
    parameter_[Index(r)] = only && graph.result(r).fingerprint.size >= 1;
  }
}

int QuantParamsByResult::Dequantizes(int r) const {
  const int n = graph_.producer(r);
  if (n == kNone || graph_.node(n).made->op_type != "DequantizeLinear") return kNone;
  return InSlot(graph_.node(n).made->inputs, 0);
}

int64_t QuantParamValues::ScaleAt(absl::Span<const int64_t> shape, int64_t element) const {
  if (scales.size() == 1) return 0;
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  const int64_t along = shape[static_cast<size_t>(axis)];
  const int64_t at = element / inner % along;
  if (block == 0) return at;
  const int64_t blocks = (along + block - 1) / block;
  return (element / inner / along * blocks + at / block) * inner + element % inner;
}

std::optional<QuantParamValues> ValuesOf(const QuantParams& params, DType integers,
                                         absl::Span<const int64_t> shape, const Value* scale,
                                         const Value* zero_point) {
  if (scale == nullptr || !scale->is_tensor() || !IsFloatingPoint(scale->tensor().dtype())) {
    return std::nullopt;
  }
  QuantParamValues values;
  values.scales = ElementsOf(scale->tensor());
  values.zero_points = {0};
  if (zero_point != nullptr) {
    if (!zero_point->is_tensor() || !IsInteger(zero_point->tensor().dtype())) return std::nullopt;
    values.zero_points = ElementsOf(zero_point->tensor());
  }
  if (!IsInteger(integers)) return std::nullopt;
  values.least = LeastInteger(integers);
  values.most = GreatestInteger(integers);
  if (values.zero_points.size() != 1 && values.zero_points.size() != values.scales.size()) {
    return std::nullopt;
  }
  if (values.scales.size() == 1) return values;
  const auto rank = static_cast<int64_t>(shape.size());
  values.axis = params.axis < 0 ? params.axis + rank : params.axis;
  values.block = params.block;
  if (values.axis < 0 || values.axis >= rank) return std::nullopt;
  const int64_t along = shape[static_cast<size_t>(values.axis)];
  int64_t expected = along;
  if (params.block > 0 && along > 0) {
    expected = NumElements(shape).value_or(0) / along * ((along + params.block - 1) / params.block);
  }
  if (static_cast<int64_t>(values.scales.size()) != expected) return std::nullopt;
  return values;
}

}  // namespace onnxcmp
