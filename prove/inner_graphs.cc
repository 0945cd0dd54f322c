#include "prove/inner_graphs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/outer_names.h"
#include "prove/field/residues.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"
#include "prove/node_kinds.h"
#include "prove/roundings.h"
#include "record/base/work_bounds.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

using Outputs = absl::StatusOr<std::vector<FieldValue>>;
using Given = absl::flat_hash_map<std::string, FieldValue>;

const Graph* GraphNamed(const Node& node, absl::string_view name) {
  const auto* const graph = AttributeOf<std::shared_ptr<const Graph>>(node, name);
  return graph == nullptr ? nullptr : graph->get();
}

std::vector<int64_t> IntsNamed(const Node& node, absl::string_view name) {
  const auto* const list = AttributeOf<std::vector<int64_t>>(node, name);
  return list == nullptr ? std::vector<int64_t>() : *list;
}

FieldValue Fixed(Tensor tensor) {
  FieldValue value;
  value.number = Value(std::move(tensor));
  return value;
}

// The one element of a value that does not depend on inputs that vary; nothing if it does.
template <typename T>
std::optional<T> FixedElement(const FieldValue& value) {
  if (!value.fixed || !value.number.is_tensor() || value.number.tensor().num_elements() != 1) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> whole = value.number.tensor().Contiguous();
  return whole.ok() ? std::optional<T>(*whole->template data<T>()) : std::nullopt;
}

absl::StatusOr<Residues> ResiduesOf(const PrimeField& field, const FieldValue& value) {
  if (!value.number.is_tensor()) return NoMeaning("a sequence");
  return ResiduesOfNumbers(field, value);
}

// Adds to a value what holds of another that it depends on.
void Join(const FieldValue& other, FieldValue* value) {
  value->fixed = value->fixed && other.fixed;
  value->exact = value->exact && other.exact;
  value->rounds_alike = value->rounds_alike && other.rounds_alike;
  value->shaped = value->shaped || other.shaped;
  value->wraps = value->wraps || other.wraps;
  value->roundings = RoundingsOf({*value, other});
}

// Values of iterations along a new axis, as `number` has them.
absl::StatusOr<FieldValue> Stacked(const PrimeField& field, std::vector<FieldValue> values,
                                   const Value& number, int64_t axis, bool backward) {
  FieldValue out;
  out.number = number;
  if (!number.is_tensor()) return NoMeaning("a sequence of iterations");
  bool all_fixed = true;
  for (const FieldValue& value : values) {
    Join(value, &out);
    all_fixed = all_fixed && value.fixed && !value.residues.defined();
  }
  if (all_fixed) return out;
  const Shape& shape = number.tensor().shape();
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) ||
      shape[static_cast<size_t>(axis)] != static_cast<int64_t>(values.size())) {
    return NoMeaning("results of iterations along another axis");
  }
  if (backward) std::reverse(values.begin(), values.end());
  Residues all = Residues::Filled(shape, 0);
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  const auto count = static_cast<int64_t>(values.size());
  for (int64_t step = 0; step < count; ++step) {
    OC_ASSIGN_OR_RETURN(const Residues one, ResiduesOf(field, values[static_cast<size_t>(step)]));
    if (one.size() * count != all.size()) return NoMeaning("iterations of several shapes");
    for (int64_t i = 0; i < one.size(); ++i) {
      const int64_t to = (i / inner * count + step) * inner + i % inner;
      all.values[static_cast<size_t>(to)] = one.values[static_cast<size_t>(i)];
    }
  }
  OC_ASSIGN_OR_RETURN(out.residues, ToTensor(all));
  return out;
}

// One slice of a value along an axis, without the axis.
absl::StatusOr<FieldValue> SliceOf(const FieldValue& value, int64_t axis, int64_t index) {
  const auto slice = [&](const Tensor& whole) -> absl::StatusOr<Tensor> {
    OC_ASSIGN_OR_RETURN(const Tensor tensor, whole.Contiguous());
    Shape shape = tensor.shape();
    Shape strides = RowMajorStrides(shape);
    const auto at = static_cast<size_t>(axis);
    const int64_t offset = tensor.offset() + index * strides[at];
    shape.erase(shape.begin() + axis);
    strides.erase(strides.begin() + axis);
    return tensor.Strided(shape, strides, offset).Contiguous();
  };
  FieldValue out;
  Join(value, &out);
  OC_ASSIGN_OR_RETURN(Tensor number, slice(value.number.tensor()));
  out.number = Value(std::move(number));
  if (value.residues.defined()) {
    OC_ASSIGN_OR_RETURN(out.residues, slice(value.residues));
  }
  return out;
}

// By the branch that runs; if that depends on inputs that vary, as Where of both branches.
Outputs RunIf(const PrimeField& field, const Node& node, const FieldValue& condition,
              absl::Span<const Value> numbers, RunsGraph run) {
  const Graph* const first = GraphNamed(node, "then_branch");
  const Graph* const second = GraphNamed(node, "else_branch");
  if (first == nullptr || second == nullptr) return NoMeaning("it has no such branch");
  if (const std::optional<bool> taken = FixedElement<bool>(condition); taken.has_value()) {
    return run(*taken ? *first : *second, {});
  }
  OC_ASSIGN_OR_RETURN(Residues share, ResiduesOf(field, condition));
  if (share.size() != 1) return NoMeaning("a condition of several elements");
  share = Residues::Of(share.values.front());
  OC_ASSIGN_OR_RETURN(std::vector<FieldValue> outputs, run(*first, {}));
  OC_ASSIGN_OR_RETURN(const std::vector<FieldValue> others, run(*second, {}));
  if (outputs.size() != others.size() || outputs.size() != numbers.size()) {
    return NoMeaning("branches of other outputs");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    OC_ASSIGN_OR_RETURN(const Residues a, ResiduesOf(field, outputs[i]));
    OC_ASSIGN_OR_RETURN(const Residues b, ResiduesOf(field, others[i]));
    if (a.shape != b.shape) return NoMeaning("which shape it has depends on the inputs");
    OC_ASSIGN_OR_RETURN(const Residues chosen, FieldChosen(field, share, a, b));
    FieldValue out;
    out.number = numbers[i];
    Join(outputs[i], &out);
    Join(others[i], &out);
    Join(condition, &out);
    out.fixed = out.exact = false;
    OC_ASSIGN_OR_RETURN(out.residues, ToTensor(chosen));
    outputs[i] = std::move(out);
  }
  return outputs;
}

// Loop (most, keep, states...) of a body (i, keep, states...) => (keep, states..., results...).
Outputs RunLoop(const PrimeField& field, const Node& node, absl::Span<const FieldValue> inputs,
                absl::Span<const Value> numbers, RunsGraph run) {
  const Graph* const body = GraphNamed(node, "body");
  if (body == nullptr || inputs.size() < 2) return NoMeaning("it has no body");
  const size_t states = inputs.size() - 2;
  if (body->inputs.size() != states + 2 || body->outputs.size() < states + 1) {
    return NoMeaning("a body of other inputs");
  }
  int64_t most = work_bounds::kManyCandidates + 1;
  if (!inputs[0].empty()) {
    const std::optional<int64_t> given = FixedElement<int64_t>(inputs[0]);
    if (!given.has_value()) return NoMeaning("how often its body runs depends on the inputs");
    most = std::min(most, *given);
  }
  FieldValue keep = inputs[1].empty() ? Fixed(Tensor::Of<bool>({}, {true})) : inputs[1];
  std::vector<FieldValue> state(inputs.begin() + 2, inputs.end());
  std::vector<std::vector<FieldValue>> results(body->outputs.size() - states - 1);
  for (int64_t i = 0; i < most; ++i) {
    const std::optional<bool> goes_on = FixedElement<bool>(keep);
    if (!goes_on.has_value()) return NoMeaning("how often its body runs depends on the inputs");
    if (!*goes_on) break;
    if (i == work_bounds::kManyCandidates) return NoMeaning("so many iterations");
    Given given;
    given[body->inputs[0].name] = Fixed(Tensor::Of<int64_t>({}, {i}));
    given[body->inputs[1].name] = keep;
    for (size_t j = 0; j < states; ++j) given[body->inputs[j + 2].name] = state[j];
    OC_ASSIGN_OR_RETURN(std::vector<FieldValue> made, run(*body, std::move(given)));
    keep = made[0];
    for (size_t j = 0; j < states; ++j) state[j] = std::move(made[j + 1]);
    for (size_t j = 0; j < results.size(); ++j) {
      results[j].push_back(std::move(made[states + 1 + j]));
    }
  }
  for (size_t j = 0; j < results.size() && states + j < numbers.size(); ++j) {
    if (numbers[states + j].empty()) {
      state.emplace_back();
      continue;
    }
    OC_ASSIGN_OR_RETURN(state.emplace_back(),
                        Stacked(field, std::move(results[j]), numbers[states + j], 0, false));
  }
  return state;
}

// Scan (states..., sequences...) of a body (states..., elements...) => (states..., results...).
Outputs RunScan(const PrimeField& field, const Node& node, absl::Span<const FieldValue> inputs,
                absl::Span<const Value> numbers, RunsGraph run) {
  const Graph* const body = GraphNamed(node, "body");
  const std::optional<int64_t> count = IntAttribute(node, "num_scan_inputs");
  if (body == nullptr || !count.has_value() || node.attributes.contains("directions")) {
    return NoMeaning("this form of Scan");
  }
  const auto sequences = static_cast<size_t>(*count);
  if (sequences < 1 || body->inputs.size() != inputs.size() || inputs.size() < sequences) {
    return NoMeaning("a body of other inputs");
  }
  const size_t states = inputs.size() - sequences;
  const auto setting = [&](absl::string_view name, size_t i) {
    const std::vector<int64_t> list = IntsNamed(node, name);
    return i < list.size() ? list[i] : int64_t{0};
  };
  int64_t steps = -1;
  std::vector<int64_t> axes;
  for (size_t j = 0; j < sequences; ++j) {
    const Value& sequence = inputs[states + j].number;
    if (!sequence.is_tensor()) return NoMeaning("no sequence");
    const auto rank = static_cast<int64_t>(sequence.tensor().shape().size());
    int64_t axis = setting("scan_input_axes", j);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return NoMeaning("no such axis");
    axes.push_back(axis);
    steps = sequence.tensor().shape()[static_cast<size_t>(axis)];
  }
  if (steps > work_bounds::kManyCandidates) return NoMeaning("so many iterations");
  std::vector<FieldValue> state(inputs.begin(), inputs.begin() + static_cast<int64_t>(states));
  if (body->outputs.size() < states) return NoMeaning("a body of other outputs");
  std::vector<std::vector<FieldValue>> results(body->outputs.size() - states);
  for (int64_t i = 0; i < steps; ++i) {
    Given given;
    for (size_t j = 0; j < states; ++j) given[body->inputs[j].name] = state[j];
    for (size_t j = 0; j < sequences; ++j) {
      const bool backward = setting("scan_input_directions", j) != 0;
      OC_ASSIGN_OR_RETURN(given[body->inputs[states + j].name],
                          SliceOf(inputs[states + j], axes[j], backward ? steps - 1 - i : i));
    }
    OC_ASSIGN_OR_RETURN(std::vector<FieldValue> made, run(*body, std::move(given)));
    for (size_t j = 0; j < states; ++j) state[j] = std::move(made[j]);
    for (size_t j = 0; j < results.size(); ++j) results[j].push_back(std::move(made[states + j]));
  }
  for (size_t j = 0; j < results.size() && states + j < numbers.size(); ++j) {
    if (numbers[states + j].empty()) {
      state.emplace_back();
      continue;
    }
    OC_ASSIGN_OR_RETURN(
        state.emplace_back(),
        Stacked(field, std::move(results[j]), numbers[states + j], setting("scan_output_axes", j),
                setting("scan_output_directions", j) != 0));
  }
  return state;
}

}  // namespace

Outputs RunInnerGraphs(const PrimeField& field, const Node& node,
                       absl::Span<const FieldValue> inputs, absl::Span<const Value> numbers,
                       RunsGraph run) {
  Outputs outputs = NoMeaning("it has a graph of its own");
  if (node.domain == kOnnxDomain && !inputs.empty()) {
    if (node.op_type == "If") outputs = RunIf(field, node, inputs[0], numbers, run);
    if (node.op_type == "Loop") outputs = RunLoop(field, node, inputs, numbers, run);
    if (node.op_type == "Scan") outputs = RunScan(field, node, inputs, numbers, run);
  }
  if (!outputs.ok()) return NoMeaning(outputs.status().message());
  outputs->resize(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Value& made = (*outputs)[i].number;
    if (numbers[i].empty()) continue;
    if (made.is_tensor() != numbers[i].is_tensor() ||
        (made.is_tensor() && made.tensor().shape() != numbers[i].tensor().shape())) {
      return NoMeaning("iterations of other shapes");
    }
    (*outputs)[i].number = numbers[i];
  }
  return outputs;
}

bool DrawNumbers(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    if (DrawsNumbers(node) || (node.body != nullptr && DrawNumbers(*node.body))) return true;
    const std::vector<const Graph*> inner = GraphsOf(node);
    return std::any_of(inner.begin(), inner.end(),
                       [](const Graph* graph) { return DrawNumbers(*graph); });
  });
}

}  // namespace onnxcmp
