#include "prove/pieces/free_axes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {

FreeAxes::Axes FreeAxes::Add(absl::Span<const int64_t> shape) {
  Axes axes;
  for (const int64_t size : shape) {
    axes.push_back(static_cast<int>(parents_.size()));
    parents_.push_back(axes.back());
    sizes_.push_back(size);
    fixed_.push_back(false);
    ones_.push_back(false);
  }
  tensors_.push_back(axes);
  return axes;
}

int FreeAxes::Root(int axis) {
  int root = axis;
  while (parents_[static_cast<size_t>(root)] != root) root = parents_[static_cast<size_t>(root)];
  while (axis != root) axis = std::exchange(parents_[static_cast<size_t>(axis)], root);
  return root;
}

void FreeAxes::Join(int a, int b) {
  if (size(a) != size(b)) {
    Fix(a);
    Fix(b);
    return;
  }
  const int into = Root(a);
  const int from = Root(b);
  for (std::vector<bool>* const marks : {&fixed_, &ones_}) {
    (*marks)[static_cast<size_t>(into)] =
        (*marks)[static_cast<size_t>(into)] || (*marks)[static_cast<size_t>(from)];
  }
  parents_[static_cast<size_t>(from)] = into;
}

Shape FreeAxes::EnoughOf(const Axes& axes) {
  Shape sizes;
  for (const int axis : axes) {
    // Two, so that nothing looks broadcast that is not.
    int64_t enough = ones_[static_cast<size_t>(Root(axis))] ? 1 : 2;
    for (const Axes& tensor : tensors_) {
      enough = std::max<int64_t>(
          enough, absl::c_count_if(tensor, [&](int other) { return Root(other) == Root(axis); }));
    }
    sizes.push_back(IsFree(axis) ? std::min(size(axis), enough) : size(axis));
  }
  return sizes;
}

namespace {

using Axes = FreeAxes::Axes;
using Rule = bool (*)(NodeAxes&);  // false: the node has another form

int64_t Int(const Node& node, absl::string_view name, int64_t fallback) {
  return IntAttribute(node, name).value_or(fallback);
}

std::optional<std::vector<int64_t>> Ints(const Node& node, absl::string_view name) {
  const auto* const numbers = AttributeOf<std::vector<int64_t>>(node, name);
  return numbers == nullptr ? std::nullopt : std::optional(*numbers);
}

// An axis from its number, which may count from the end; nothing: there is none.
std::optional<size_t> AxisOf(int64_t number, size_t rank) {
  const int64_t axis = number < 0 ? number + static_cast<int64_t>(rank) : number;
  if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
  return static_cast<size_t>(axis);
}

// Joins the last axes of two tensors, as far as `from` is not broadcast.
void JoinBroadcast(NodeAxes& node, const Axes& from, const Axes& to, size_t last = 0) {
  for (size_t i = last; i < from.size(); ++i) {
    const int axis = from[from.size() - 1 - i];
    if (i >= to.size()) {
      node.axes->Fix(axis);
    } else if (node.axes->size(axis) != 1 || node.axes->size(to[to.size() - 1 - i]) == 1) {
      node.axes->Join(axis, to[to.size() - 1 - i]);
    }
  }
}

// Element by element, with broadcasting. Results have one shape.
bool ByElement(NodeAxes& node) {
  const Axes* first = nullptr;
  for (const auto& output : node.outputs) {
    if (!output.has_value()) continue;
    if (first != nullptr && first->size() != output->size()) return false;
    if (first == nullptr) first = &*output;
    JoinBroadcast(node, *output, *first);
    for (const auto& input : node.inputs) {
      if (input.has_value()) JoinBroadcast(node, *input, *output);
    }
  }
  return first != nullptr && Int(node.node, "broadcast", 0) == 0;
}

// The same, but for the last axes from the attribute `axis` on.
bool AlongLast(NodeAxes& node) {
  if (!node.inputs[0].has_value() || !node.outputs[0].has_value()) return false;
  const bool norm = node.node.op_type.ends_with("Normalization");
  const std::optional<size_t> axis =
      AxisOf(Int(node.node, "axis", norm ? -1 : std::min<int64_t>(1, node.inputs[0]->size() - 1)),
             node.inputs[0]->size());
  if (!axis.has_value() || !ByElement(node)) return false;
  for (size_t i = *axis; i < node.inputs[0]->size(); ++i) node.axes->Fix((*node.inputs[0])[i]);
  return true;
}

// x, scale, bias, mean, variance: one number of each for a channel.
bool ByChannel(NodeAxes& node) {
  if (!node.outputs[0].has_value() || node.inputs[0]->size() < 2) return false;
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i].has_value()) return false;
  }
  JoinBroadcast(node, *node.inputs[0], *node.outputs[0]);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i]->size() != 1) return false;
    node.axes->Join(node.inputs[i]->front(), (*node.inputs[0])[1]);
  }
  return Int(node.node, "training_mode", 0) == 0 && Int(node.node, "spatial", 1) == 1;
}

bool Reduced(NodeAxes& node) {
  const Axes& x = *node.inputs[0];
  const Axes& out = *node.outputs[0];
  std::optional<std::vector<int64_t>> numbers = Ints(node.node, "axes");
  if (node.inputs.size() > 1 && node.inputs[1].has_value()) numbers = node.integers(1);
  if (!numbers.has_value() || numbers->empty()) return false;
  std::vector<bool> reduced(x.size(), false);
  for (const int64_t number : *numbers) {
    const std::optional<size_t> axis = AxisOf(number, x.size());
    if (!axis.has_value()) return false;
    reduced[*axis] = true;
  }
  const bool keeps = Int(node.node, "keepdims", 1) != 0;
  size_t next = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (reduced[i]) {
      node.axes->Fix(x[i]);
      next += keeps ? 1 : 0;
      continue;
    }
    if (next >= out.size()) return false;
    node.axes->Join(x[i], out[next++]);
  }
  return next == out.size();
}

// a and b as numpy.matmul has them, or with their last two axes exchanged.
bool Multiplied(NodeAxes& node) {
  if (Int(node.node, "transBatchA", 0) != 0 || Int(node.node, "transBatchB", 0) != 0) return false;
  const Axes& a = *node.inputs[0];
  const Axes& b = *node.inputs[1];
  const Axes& out = *node.outputs[0];
  if (a.size() < 2 || b.size() < 2) return false;
  const bool turn_a = Int(node.node, "transA", 0) != 0;
  const bool turn_b = Int(node.node, "transB", 0) != 0;
  const auto last = [](const Axes& axes, size_t from_end) { return axes[axes.size() - from_end]; };
  node.axes->Fix(last(a, turn_a ? 2 : 1));
  node.axes->Fix(last(b, turn_b ? 1 : 2));
  node.axes->Join(last(a, turn_a ? 1 : 2), last(out, 2));
  node.axes->Join(last(b, turn_b ? 2 : 1), last(out, 1));
  JoinBroadcast(node, a, out, 2);
  JoinBroadcast(node, b, out, 2);
  for (size_t i = 2; i < node.inputs.size(); ++i) {
    if (node.inputs[i].has_value()) JoinBroadcast(node, *node.inputs[i], out);
  }
  return true;
}

bool Turned(NodeAxes& node) {
  const Axes& x = *node.inputs[0];
  std::vector<int64_t> order(x.size());
  std::iota(order.rbegin(), order.rend(), 0);
  order = Ints(node.node, "perm").value_or(order);
  for (size_t i = 0; i < order.size(); ++i) {
    const std::optional<size_t> axis = AxisOf(order[i], x.size());
    if (!axis.has_value() || order.size() != x.size()) return false;
    node.axes->Join((*node.outputs[0])[i], x[*axis]);
  }
  return true;
}

// Axes that stay whole are joined, those that are merged or split are fixed.
bool Reshaped(NodeAxes& node) {
  const Axes& x = *node.inputs[0];
  const Axes& out = *node.outputs[0];
  const auto is_empty = [&](int axis) { return node.axes->size(axis) == 0; };
  if (absl::c_any_of(x, is_empty)) return false;
  size_t i = 0;
  size_t j = 0;
  while (i < x.size() || j < out.size()) {
    // The least pieces of both that have equally many elements; ones belong to no piece.
    Axes left;
    Axes right;
    int64_t count = 1;  // of the left's elements
    int64_t other = 1;
    do {
      if (count <= other && i < x.size()) {
        count *= node.axes->size(x[i]);
        if (node.axes->size(x[i]) != 1) left.push_back(x[i]);
        ++i;
      } else if (j < out.size()) {
        other *= node.axes->size(out[j]);
        if (node.axes->size(out[j]) != 1) right.push_back(out[j]);
        ++j;
      } else {
        return false;
      }
    } while (count != other);
    if (left.size() == 1 && right.size() == 1) {
      node.axes->Join(left.front(), right.front());
    } else {
      node.axes->Fix(left);
      node.axes->Fix(right);
    }
  }
  return true;
}

// Several values side by side along an axis, or one in parts.
bool SideBySide(NodeAxes& node) {
  const bool splits = node.node.op_type == "Split";
  const Axes& whole = splits ? *node.inputs[0] : *node.outputs[0];
  const std::optional<size_t> along = AxisOf(Int(node.node, "axis", 0), whole.size());
  if (!along.has_value()) return false;
  for (const auto& part : splits ? node.outputs : node.inputs) {
    if (!part.has_value()) continue;
    for (size_t i = 0; i < whole.size(); ++i) {
      if (i == *along) {
        node.axes->Fix((*part)[i]);
        node.axes->Fix(whole[i]);
      } else {
        node.axes->Join((*part)[i], whole[i]);
      }
    }
  }
  return true;
}

// Axes that keep their size stay as they are, where there are no steps.
bool Cut(NodeAxes& node) {
  if (node.inputs.size() > 4) return false;
  for (size_t i = 0; i < node.inputs[0]->size(); ++i) {
    node.axes->Join((*node.inputs[0])[i], (*node.outputs[0])[i]);
  }
  return true;
}

struct AxisRow {
  absl::string_view op_type;
  Rule rule;
};
constexpr AxisRow kAxisRows[] = {
    {"Abs", ByElement},
    {"Add", ByElement},
    {"BiasGelu", ByElement},
    {"Cast", ByElement},
    {"Celu", ByElement},
    {"Clip", ByElement},
    {"Cos", ByElement},
    {"Cosh", ByElement},
    {"Div", ByElement},
    {"Elu", ByElement},
    {"Erf", ByElement},
    {"Exp", ByElement},
    {"FastGelu", ByElement},
    {"Gelu", ByElement},
    {"HardSigmoid", ByElement},
    {"HardSwish", ByElement},
    {"Identity", ByElement},
    {"LeakyRelu", ByElement},
    {"Log", ByElement},
    {"Max", ByElement},
    {"Min", ByElement},
    {"Mish", ByElement},
    {"Mul", ByElement},
    {"Neg", ByElement},
    {"PRelu", ByElement},
    {"Pow", ByElement},
    {"QuickGelu", ByElement},
    {"Reciprocal", ByElement},
    {"Relu", ByElement},
    {"Selu", ByElement},
    {"Sigmoid", ByElement},
    {"Sin", ByElement},
    {"Sinh", ByElement},
    {"Softplus", ByElement},
    {"Softsign", ByElement},
    {"Sqrt", ByElement},
    {"Sub", ByElement},
    {"Sum", ByElement},
    {"Swish", ByElement},
    {"Tan", ByElement},
    {"Tanh", ByElement},
    {"Where", ByElement},
    {"LayerNormalization", AlongLast},
    {"LogSoftmax", AlongLast},
    {"RMSNormalization", AlongLast},
    {"SimplifiedLayerNormalization", AlongLast},
    {"SkipLayerNormalization", AlongLast},
    {"SkipSimplifiedLayerNormalization", AlongLast},
    {"Softmax", AlongLast},
    {"BatchNormalization", ByChannel},
    {"ReduceL1", Reduced},
    {"ReduceL2", Reduced},
    {"ReduceLogSumExp", Reduced},
    {"ReduceMax", Reduced},
    {"ReduceMean", Reduced},
    {"ReduceMin", Reduced},
    {"ReduceSum", Reduced},
    {"ReduceSumSquare", Reduced},
    {"FusedGemm", Multiplied},
    {"FusedMatMul", Multiplied},
    {"Gemm", Multiplied},
    {"MatMul", Multiplied},
    {"TransposeMatMul", Multiplied},
    {"Transpose", Turned},
    {"ExpandDims", Reshaped},
    {"Flatten", Reshaped},
    {"Reshape", Reshaped},
    {"Squeeze", Reshaped},
    {"Unsqueeze", Reshaped},
    {"Concat", SideBySide},
    {"Split", SideBySide},
    {"Slice", Cut},
};

Rule RuleOf(const Node& node) {
  if (node.domain != kOnnxDomain && node.domain != kMicrosoftDomain) return nullptr;
  for (const AxisRow& row : kAxisRows) {
    if (row.op_type == node.op_type) return row.rule;
  }
  return nullptr;
}

}  // namespace

bool MovesElements(const Node& node) {
  const Rule rule = RuleOf(node);
  return rule == Turned || rule == Reshaped || rule == SideBySide || rule == Cut;
}

bool IsReshape(const Node& node) { return RuleOf(node) == Reshaped; }

void JoinAxes(NodeAxes& node) {
  const Rule rule = RuleOf(node.node);
  const bool complete = !node.inputs.empty() && node.inputs[0].has_value() &&
                        !node.outputs.empty() && node.outputs[0].has_value();
  if (rule != nullptr && complete && rule(node)) return;
  for (const auto* const values : {&node.inputs, &node.outputs}) {
    for (const auto& value : *values) {
      if (value.has_value()) node.axes->Fix(*value);
    }
  }
}

}  // namespace onnxcmp
