#include "feed/made_up/window_lengths.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

constexpr int64_t kGreatestLength = int64_t{1} << 20;

// An input's axis in a result: where it lies, and the numbers of the input that its first element
// and the step to the next one stand for.
struct AxisTrace {
  int64_t rank = 0;
  int64_t axis = 0;
  int64_t extent = 1;
  int64_t stride = 1;

  // Windows of some elements at a distance, of which pads hold some.
  void Cut(int64_t elements, int64_t distance, int64_t pads) {
    extent += (elements - 1 - pads) * stride;
    stride *= std::max<int64_t>(distance, 1);
  }
};
using InputAxis = std::pair<std::string, int64_t>;
using AxisTraces = std::map<InputAxis, AxisTrace>;

// A constant's numbers; none if it is no constant of whole numbers.
std::vector<std::optional<int64_t>> NumbersOfConstant(const GraphScope& scope,
                                                      absl::string_view name) {
  std::vector<std::optional<int64_t>> numbers;
  const Tensor* constant = ConstantIn(scope, name);
  if (constant == nullptr || !IsInteger(constant->dtype())) return {};
  const absl::StatusOr<Tensor> whole = constant->Contiguous();
  if (!whole.ok()) return {};
  for (int64_t i = 0; i < whole->num_elements(); ++i) {
    int64_t number = 0;
    LoadElements<int64_t>(whole->dtype(), whole->raw_data(), i, 1, &number);
    numbers.emplace_back(number);
  }
  return numbers;
}

// The numbers of a constant, or of the constants that a shape is made of; those that no constant
// tells are missing.
std::vector<std::optional<int64_t>> NumbersOf(const GraphScope& scope, absl::string_view name) {
  const Node* node = ProducerIn(scope, name);
  if (node == nullptr || !IsOneOf(*node, {"Concat"})) return NumbersOfConstant(scope, name);
  std::vector<std::optional<int64_t>> numbers;
  for (const std::string& input : node->inputs) {
    const auto piece = NumbersOfConstant(scope, input);
    numbers.insert(numbers.end(), piece.begin(), piece.end());
    if (piece.empty()) numbers.emplace_back();
  }
  return numbers;
}

// An operator's list, as an input or as an attribute.
std::vector<std::optional<int64_t>> ListOf(const GraphScope& scope, const Node& node, size_t slot,
                                           absl::string_view attribute) {
  if (const auto* list = AttributeOf<std::vector<int64_t>>(node, attribute)) {
    return {list->begin(), list->end()};
  }
  return slot < node.inputs.size() ? NumbersOf(scope, node.inputs[slot])
                                   : std::vector<std::optional<int64_t>>();
}

int64_t At(const Node& node, absl::string_view attribute, int64_t i, int64_t otherwise) {
  const auto* list = AttributeOf<std::vector<int64_t>>(node, attribute);
  return list == nullptr || i < 0 || i >= static_cast<int64_t>(list->size())
             ? otherwise
             : (*list)[static_cast<size_t>(i)];
}

// A table of places, or the places of a frame, which are added to where each frame begins.
const Tensor* PlacesIn(const GraphScope& scope, absl::string_view name) {
  while (true) {
    if (const Tensor* constant = ConstantIn(scope, name)) return constant;
    const Node* node = ProducerIn(scope, name);
    if (node == nullptr || node->inputs.empty()) return nullptr;
    const bool adds = IsOneOf(*node, {"Add"});
    if (adds && ConstantIn(scope, node->inputs[1]) != nullptr) {
      return ConstantIn(scope, node->inputs[1]);
    }
    const bool passes = adds || HasTrait(*node, OperatorTrait::kKeepsOrder) ||
                        HasTrait(*node, OperatorTrait::kCasts);
    if (!passes) return nullptr;
    name = node->inputs[0];
  }
}

class WindowWalk {
 public:
  explicit WindowWalk(const Graph& graph) : root_(MakeScope(graph, nullptr)) {
    for (const ValueInfo& input : graph.inputs) {
      if (!input.type.shape.has_value()) continue;
      const auto rank = static_cast<int64_t>(input.type.shape->size());
      for (int64_t axis = 0; axis < rank; ++axis) {
        if ((*input.type.shape)[static_cast<size_t>(axis)].value.has_value()) continue;
        traces_[input.name][{input.name, axis}] = {rank, axis};
      }
    }
    Walk(*root_);
  }

  WindowLengths lengths;

 private:
  void Walk(const GraphScope& scope) {
    for (const Node& node : scope.graph->nodes) {
      for (const Graph* body : GraphsOf(node)) {
        const auto inner = scope.inner.find(body);
        if (inner == scope.inner.end()) continue;
        Walk(*inner->second);
        if (!IsOneOf(node, {"If"})) continue;
        for (size_t i = 0; i < std::min(node.outputs.size(), body->outputs.size()); ++i) {
          const AxisTraces of_body = traces_[body->outputs[i].name];
          for (const auto& [at, trace] : of_body) Keep(node.outputs[i], at, trace);
        }
      }
      for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
        const auto it = traces_.find(node.inputs[slot]);
        if (it == traces_.end() || node.outputs.empty()) continue;
        const AxisTraces read = it->second;
        for (const auto& [at, trace] : read) {
          const std::optional<AxisTrace> passed = Pass(scope, node, slot, at, trace);
          if (!passed.has_value()) continue;
          Need(at, passed->extent, passed->stride);
          for (const std::string& output : node.outputs) Keep(output, at, *passed);
        }
      }
    }
  }

  void Need(const InputAxis& at, int64_t least, int64_t step, int64_t multiple = 1) {
    if (std::max({least, step, multiple}) > kGreatestLength) return;
    lengths[at].Add({least, step, multiple});
  }

  void Keep(const std::string& name, const InputAxis& at, const AxisTrace& trace) {
    const auto [it, is_new] = traces_[name].try_emplace(at, trace);
    if (!is_new && it->second.rank == trace.rank && it->second.axis == trace.axis) {
      it->second.extent = std::max(it->second.extent, trace.extent);
      it->second.stride = std::max(it->second.stride, trace.stride);
    }
  }

  // The axis in the node's results; nothing if it ends there.
  std::optional<AxisTrace> Pass(const GraphScope& scope, const Node& node, size_t slot,
                                const InputAxis& at, AxisTrace trace) {
    if (!IsOfOnnx(node)) return std::nullopt;
    if (IsOneOf(node, {"Conv", "ConvInteger", "QLinearConv", "MaxPool", "AveragePool", "LpPool"})) {
      return PassWindow(scope, node, slot, trace);
    }
    if (slot == 0 && IsOneOf(node, {"STFT"})) return PassFourier(scope, node, trace);
    if (slot == 0 && IsOneOf(node, {"Pad"})) return PassPad(scope, node, at, trace);
    if (slot == 0 && IsOneOf(node, {"Slice"})) return PassSlice(scope, node, at, trace);
    if (slot == 0 && IsOneOf(node, {"Gather"})) return PassGather(scope, node, at, trace);
    if (slot == 0 && IsOneOf(node, {"Reshape"})) return PassReshape(scope, node, at, trace);
    if (IsOneOf(node, {"Transpose"})) {
      const auto* perm = AttributeOf<std::vector<int64_t>>(node, "perm");
      trace.axis = perm == nullptr
                       ? trace.rank - 1 - trace.axis
                       : std::find(perm->begin(), perm->end(), trace.axis) - perm->begin();
      return trace;
    }
    if (slot == 0 && IsOneOf(node, {"Unsqueeze", "Squeeze", "ReduceMean", "ReduceMax", "ReduceSum",
                                    "ReduceL2"})) {
      return PassAxes(scope, node, trace);
    }
    if (IsOneOf(node, {"MatMul", "Gemm"}) && trace.axis + 1 == trace.rank) return std::nullopt;
    const bool keeps = HasTrait(node, OperatorTrait::kKeepsAxes) ||
                       HasTrait(node, OperatorTrait::kCopies) ||
                       HasTrait(node, OperatorTrait::kCasts) ||
                       IsOneOf(node, {"MatMul", "Gemm", "Concat", "LSTM", "GRU", "RNN", "PRelu",
                                      "Gelu", "BatchNormalization", "InstanceNormalization",
                                      "LayerNormalization", "GroupNormalization"});
    if (!keeps) return std::nullopt;
    // Axes of operands of a lower rank are the last ones.
    for (const std::string& input : node.inputs) {
      const int64_t rank = RankOf(scope, input);
      if (rank <= trace.rank || !HasTrait(node, OperatorTrait::kArithmetic)) continue;
      trace.axis += rank - trace.rank;
      trace.rank = rank;
    }
    return trace;
  }

  // 0 if it is not known.
  int64_t RankOf(const GraphScope& scope, absl::string_view name) const {
    if (const Tensor* constant = ConstantIn(scope, name)) return constant->rank();
    const auto it = traces_.find(name);
    return it == traces_.end() || it->second.empty() ? 0 : it->second.begin()->second.rank;
  }

  static std::optional<AxisTrace> PassWindow(const GraphScope& scope, const Node& node, size_t slot,
                                             AxisTrace trace) {
    if (slot != 0) return std::nullopt;
    const int64_t at = trace.axis - 2;
    if (at < 0) return trace;
    const Tensor* weights =
        node.inputs.size() > 1
            ? ConstantIn(scope, node.inputs[node.op_type == "QLinearConv" ? 3 : 1])
            : nullptr;
    const bool of_weights = weights != nullptr && trace.axis < weights->rank();
    const int64_t size =
        At(node, "kernel_shape", at, of_weights ? weights->dim(trace.axis) : int64_t{1});
    const int64_t reach = (size - 1) * At(node, "dilations", at, 1) + 1;
    const auto* automatic = AttributeOf<std::string>(node, "auto_pad");
    const bool same = automatic != nullptr && automatic->starts_with("SAME");
    const int64_t pads =
        same ? reach - 1 : At(node, "pads", at, 0) + At(node, "pads", at + trace.rank - 2, 0);
    trace.Cut(reach, At(node, "strides", at, 1), pads);
    return trace;
  }

  static std::optional<AxisTrace> PassFourier(const GraphScope& scope, const Node& node,
                                              AxisTrace trace) {
    if (trace.axis != 1) return trace;
    const auto number = [&](size_t slot) -> std::optional<double> {
      if (slot >= node.inputs.size()) return std::nullopt;
      return NumberOf(ConstantIn(scope, node.inputs[slot]));
    };
    const Tensor* window = node.inputs.size() > 2 ? ConstantIn(scope, node.inputs[2]) : nullptr;
    const double length =
        number(3).value_or(window == nullptr ? 1.0 : static_cast<double>(window->num_elements()));
    trace.rank = 4;
    trace.Cut(static_cast<int64_t>(length), static_cast<int64_t>(number(1).value_or(1)), 0);
    return trace;
  }

  // A mirrored pad is shorter than what it mirrors.
  std::optional<AxisTrace> PassPad(const GraphScope& scope, const Node& node, const InputAxis& at,
                                   AxisTrace trace) {
    const auto pads = ListOf(scope, node, 1, "pads");
    const auto axes = ListOf(scope, node, 3, "axes");
    size_t place = static_cast<size_t>(trace.axis);
    if (!axes.empty()) place = PlaceOf(axes, trace);
    const size_t count = pads.size() / 2;
    if (place >= count) return trace;
    const int64_t before = pads[place].value_or(0);
    const int64_t after = pads[place + count].value_or(0);
    const auto* mode = AttributeOf<std::string>(node, "mode");
    if (mode != nullptr && *mode == "reflect") {
      Need(at, trace.extent + std::max(before, after) * trace.stride, trace.stride);
    }
    trace.Cut(1, 1, before + after);
    return trace;
  }

  // Numbers that are cut off at either end have to be there.
  std::optional<AxisTrace> PassSlice(const GraphScope& scope, const Node& node, const InputAxis& at,
                                     AxisTrace trace) {
    const auto starts = ListOf(scope, node, 1, "starts");
    const auto ends = ListOf(scope, node, 2, "ends");
    const auto axes = ListOf(scope, node, 3, "axes");
    const auto steps = ListOf(scope, node, 4, "");
    const size_t place = axes.empty() ? static_cast<size_t>(trace.axis) : PlaceOf(axes, trace);
    if (place >= starts.size() || place >= ends.size()) return trace;
    const int64_t start = starts[place].value_or(0);
    const int64_t end = ends[place].value_or(0);
    const int64_t step = place < steps.size() ? steps[place].value_or(1) : 1;
    if (step < 1) return trace;
    if (start < 0) {
      Need(at, trace.extent + (-start - 1) * trace.stride, trace.stride);
      return std::nullopt;
    }
    trace.Cut(1 + start + (end < 0 ? -end : 0), step, 0);
    return trace;
  }

  // A table of places, as frames are taken by, has to lie within.
  std::optional<AxisTrace> PassGather(const GraphScope& scope, const Node& node,
                                      const InputAxis& at, AxisTrace trace) {
    int64_t axis = IntAttribute(node, "axis").value_or(0);
    if (axis < 0) axis += trace.rank;
    const Tensor* places = node.inputs.size() > 1 ? ConstantIn(scope, node.inputs[1]) : nullptr;
    if (trace.axis != axis) {
      if (places == nullptr) return std::nullopt;
      trace.rank += places->rank() - 1;
      if (trace.axis > axis) trace.axis += places->rank() - 1;
      return trace;
    }
    if (node.inputs.size() > 1) places = PlacesIn(scope, node.inputs[1]);
    const absl::StatusOr<Tensor> whole =
        places == nullptr ? absl::StatusOr<Tensor>(Tensor()) : places->Contiguous();
    if (places == nullptr || !whole.ok() || !IsInteger(whole->dtype())) return std::nullopt;
    int64_t farthest = 0;
    for (int64_t i = 0; i < std::min(whole->num_elements(), kGreatestLength); ++i) {
      int64_t number = 0;
      LoadElements<int64_t>(whole->dtype(), whole->raw_data(), i, 1, &number);
      farthest = std::max(farthest, number < 0 ? -number - 1 : number);
    }
    if (farthest < kGreatestLength) Need(at, trace.extent + farthest * trace.stride, trace.stride);
    return std::nullopt;
  }

  // The last axis may be cut into frames of the sizes after -1.
  std::optional<AxisTrace> PassReshape(const GraphScope& scope, const Node& node,
                                       const InputAxis& at, AxisTrace trace) {
    const auto sizes = NumbersOf(scope, node.inputs.size() > 1 ? node.inputs[1] : "");
    const auto rest = std::find(sizes.begin(), sizes.end(), -1);
    if (rest == sizes.end() || trace.axis + 1 != trace.rank) {
      const bool kept = trace.axis < static_cast<int64_t>(sizes.size()) &&
                        sizes[static_cast<size_t>(trace.axis)].value_or(0) == 0;
      if (kept) trace.rank = static_cast<int64_t>(sizes.size());
      return kept ? std::optional<AxisTrace>(trace) : std::nullopt;
    }
    int64_t frame = 1;
    for (auto size = rest + 1; size != sizes.end(); ++size) {
      if (size->value_or(0) <= 0) return std::nullopt;
      frame *= **size;
    }
    trace.rank = static_cast<int64_t>(sizes.size());
    trace.axis = rest - sizes.begin();
    if (frame > 1) Need(at, trace.extent + (frame - 1) * trace.stride, frame, frame * trace.stride);
    trace.Cut(frame, frame, 0);
    return trace;
  }

  static std::optional<AxisTrace> PassAxes(const GraphScope& scope, const Node& node,
                                           AxisTrace trace) {
    const auto axes = ListOf(scope, node, 1, "axes");
    const bool adds = node.op_type == "Unsqueeze";
    if (!adds && node.op_type != "Squeeze" && IntAttribute(node, "keepdims").value_or(1) != 0) {
      return PlaceOf(axes, trace) == axes.size() && !axes.empty() ? std::optional<AxisTrace>(trace)
                                                                  : std::nullopt;
    }
    const int64_t count = static_cast<int64_t>(axes.size());
    const int64_t rank = adds ? trace.rank + count : trace.rank;
    std::vector<bool> listed(static_cast<size_t>(rank));
    for (const std::optional<int64_t>& axis : axes) {
      const int64_t place = axis.value_or(rank) + (axis.value_or(0) < 0 ? rank : 0);
      if (place < 0 || place >= rank) return std::nullopt;
      listed[static_cast<size_t>(place)] = true;
    }
    if (axes.empty()) return std::nullopt;
    // The longer of the two shapes has the listed axes.
    int64_t shorter = 0;
    for (int64_t longer = 0; longer < rank; ++longer) {
      const bool one = listed[static_cast<size_t>(longer)];
      if (adds && !one && shorter++ == trace.axis)
        return AxisTrace{rank, longer, trace.extent, trace.stride};
      if (!adds && longer == trace.axis) {
        if (one) return std::nullopt;
        return AxisTrace{rank - count, shorter, trace.extent, trace.stride};
      }
      if (!adds && !one) ++shorter;
    }
    return std::nullopt;
  }

  static size_t PlaceOf(const std::vector<std::optional<int64_t>>& axes, const AxisTrace& trace) {
    return static_cast<size_t>(std::find_if(axes.begin(), axes.end(),
                                            [&](const std::optional<int64_t>& axis) {
                                              return axis == trace.axis ||
                                                     axis == trace.axis - trace.rank;
                                            }) -
                               axes.begin());
  }

  std::unique_ptr<GraphScope> root_;
  std::map<std::string, AxisTraces, std::less<>> traces_;
};

}  // namespace

int64_t WindowLength::For(int64_t size, int64_t windows) const {
  const int64_t length = least <= size ? size : least + (windows - 1) * step;
  return (length + multiple - 1) / multiple * multiple;
}

void WindowLength::Add(const WindowLength& other) {
  least = std::max(least, other.least);
  step = std::max(step, other.step);
  const int64_t both = std::lcm(multiple, other.multiple);
  if (both <= kGreatestLength) multiple = both;
}

WindowLengths WindowLengthsOf(const Graph& graph) { return WindowWalk(graph).lengths; }

}  // namespace onnxcmp
