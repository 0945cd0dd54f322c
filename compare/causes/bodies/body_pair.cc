#include "compare/causes/bodies/body_pair.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/tensor_distance.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

// Places of the values that a loop carries; a node that carries none has the same inputs as its
// body.
struct Carried {
  size_t first_input = 0;   // among the node's and the body's inputs
  size_t first_output = 0;  // among the body's outputs
  size_t count = 0;
};

Carried CarriedBy(const Node& node, const Graph& body) {
  if (node.op_type == "Loop" && node.domain.empty() && body.inputs.size() >= 2) {
    return {2, 1, body.inputs.size() - 2};
  }
  return {};
}

// By the right's carried value: the left's at the same place, or else the one with the same initial
// value.
std::vector<int> PairCarried(const ForcedRun& run, const ForcedState& state, int left_node,
                             const Carried& left, int right_node, const Carried& right) {
  const FewResults& ours = run.left().graph().node(left_node).made->inputs;
  const FewResults& theirs = run.right().node(right_node).made->inputs;
  const auto left_class = [&](size_t i) {
    const size_t input = left.first_input + i;
    return input < ours.size() ? run.left().of(ours[input]) : kNone;
  };
  std::vector<int> pairs(right.count, kNone);
  std::vector<bool> taken(left.count);
  const auto begins_with = [&](size_t j) {
    const size_t input = right.first_input + j;
    return input < theirs.size() && theirs[input] != kNone ? state.at(theirs[input]).match : kNone;
  };
  const auto pair = [&](size_t j, size_t i) {
    pairs[j] = static_cast<int>(i);
    taken[i] = true;
  };
  for (size_t j = 0; j < std::min(left.count, right.count); ++j) {
    if (begins_with(j) != kNone && begins_with(j) == left_class(j)) pair(j, j);
  }
  for (size_t j = 0; j < right.count; ++j) {
    if (pairs[j] != kNone || begins_with(j) == kNone) continue;
    for (size_t i = 0; i < left.count; ++i) {
      if (taken[i] || left_class(i) != begins_with(j)) continue;
      pair(j, i);
      break;
    }
  }
  for (size_t j = 0; j < std::min(left.count, right.count); ++j) {
    if (pairs[j] == kNone && !taken[j]) pair(j, j);
  }
  return pairs;
}

// Outer values that the subgraphs of a node read, from the forced run.
std::vector<OuterValue> ReadAround(const SideGraph& graph, int n,
                                   absl::FunctionRef<const Value&(int r)> value,
                                   BodyPair::Captures* captures) {
  std::vector<OuterValue> around;
  const SideGraph::GraphNode& node = graph.node(n);
  for (size_t i = 0; i < node.captures.size(); ++i) {
    const int r = node.captures[i];
    captures->emplace(node.capture_names[i], r);
    around.push_back({node.capture_names[i], value(r), graph.IsConstant(r)});
  }
  return around;
}

Feeds FeedsOf(const std::vector<OuterValue>& around, const Graph& graph) {
  Feeds feeds;
  for (const OuterValue& outer : around) {
    const bool is_input = std::any_of(graph.inputs.begin(), graph.inputs.end(),
                                      [&](const auto& input) { return input.name == outer.name; });
    if (!outer.constant && is_input) feeds[outer.name] = outer.value;
  }
  return feeds;
}

// The distance of a value from the left's, and whether that is near.
BodyPair::Step StepOf(const Value& left, const Value& right) {
  constexpr BodyPair::Step kApart = {std::numeric_limits<double>::infinity(), false};
  if (left.is_sequence() && right.is_sequence()) {
    if (left.sequence().elements.size() != right.sequence().elements.size()) return kApart;
    BodyPair::Step all;
    for (size_t i = 0; i < left.sequence().elements.size(); ++i) {
      const BodyPair::Step step = StepOf(left.sequence().elements[i], right.sequence().elements[i]);
      all.distance = std::max(all.distance, step.distance);
      all.near = all.near && step.near;
    }
    return all;
  }
  if (!IsMeasurable(left) || !IsMeasurable(right)) {
    return ContentOf(left) == ContentOf(right) ? BodyPair::Step() : kApart;
  }
  const Measured ours = Measure(left.tensor());
  const Measured theirs = Measure(right.tensor());
  if (!SameKindOfNumber(ours.dtype, theirs.dtype) || ours.size != theirs.size) {
    return kApart;
  }
  return {Distance(ours, theirs), Near(ours, theirs)};
}

absl::StatusOr<std::unique_ptr<ModelSide>> SideOf(const SideGraph& graph, const Body& body,
                                                  const std::vector<OuterValue>& around) {
  const Evaluator& whole = *graph.evaluator();
  return ModelSide::Create(ModelOfBody(whole.model(), *body.graph, around), whole.registry(),
                           whole.options());
}

}  // namespace

absl::StatusOr<BodyPair> BodyPair::Create(const ForcedRun& run, const ForcedState& state,
                                          int left_node, const Body& left, int right_node,
                                          const Body& right) {
  BodyPair pair;
  const ValueClasses& classes = run.left();
  std::vector<OuterValue> theirs = ReadAround(
      run.right(), right_node, [&](int r) -> const Value& { return state.at(r).held; },
      &pair.right_captures_);
  std::vector<OuterValue> ours = ReadAround(
      classes.graph(), left_node, [&](int r) -> const Value& { return classes.value_of(r); },
      &pair.left_captures_);
  // Captures of the right's body that match a left result which the left's body does not read: the
  // right may read the wrong one.
  for (const int r : run.right().node(right_node).captures) {
    const int c = state.at(r).match;
    if (c == kNone) continue;
    const bool read = std::any_of(ours.begin(), ours.end(), [&](const OuterValue& outer) {
      return classes.of(pair.left_captures_.at(outer.name)) == c;
    });
    if (read) continue;
    const int l = classes.representative(c);
    const std::string& name = classes.graph().result(l).name;
    if (!pair.left_captures_.emplace(name, l).second) continue;
    ours.push_back({name, classes.value(c), classes.graph().IsConstant(l)});
  }
  OC_ASSIGN_OR_RETURN(pair.left_, SideOf(classes.graph(), left, ours));
  OC_ASSIGN_OR_RETURN(pair.right_, SideOf(run.right(), right, theirs));
  pair.left_outer_ = FeedsOf(ours, pair.left_->graph());
  pair.right_outer_ = FeedsOf(theirs, pair.right_->graph());

  for (const ValueInfo& input : left.graph->inputs) pair.left_names_.push_back(input.name);
  for (const ValueInfo& input : right.graph->inputs) {
    pair.right_names_.push_back(input.name);
    pair.right_dtypes_.push_back(input.type.kind == TypeInfo::Kind::kTensor ? input.type.dtype
                                                                            : DType::kUndefined);
  }
  for (size_t i = 0; i < right.graph->inputs.size(); ++i) {
    pair.inputs_.push_back(i < left.graph->inputs.size() ? static_cast<int>(i) : kNone);
  }
  for (size_t i = 0; i < right.graph->outputs.size(); ++i) {
    pair.outputs_.push_back(i < left.graph->outputs.size() ? static_cast<int>(i) : kNone);
  }
  const Carried ours_carried = CarriedBy(*classes.graph().node(left_node).node, *left.graph);
  const Carried theirs_carried = CarriedBy(*run.right().node(right_node).node, *right.graph);
  const std::vector<int> carried =
      PairCarried(run, state, left_node, ours_carried, right_node, theirs_carried);
  for (size_t j = 0; j < carried.size(); ++j) {
    const auto place = [&](size_t first) {
      return carried[j] == kNone ? kNone : static_cast<int>(first) + carried[j];
    };
    pair.inputs_[theirs_carried.first_input + j] = place(ours_carried.first_input);
    const size_t output = theirs_carried.first_output + j;
    if (output < pair.outputs_.size()) pair.outputs_[output] = place(ours_carried.first_output);
  }
  // Scan outputs follow the carried values.
  for (size_t i = theirs_carried.first_output + carried.size();
       theirs_carried.count > 0 && i < pair.outputs_.size(); ++i) {
    const size_t place = i + ours_carried.count - theirs_carried.count;
    pair.outputs_[i] = place < left.graph->outputs.size() ? static_cast<int>(place) : kNone;
  }
  for (size_t i = 0; i < pair.inputs_.size(); ++i) {
    if (pair.inputs_[i] == kNone) {
      return absl::InvalidArgumentError(
          absl::StrCat("the right's body takes '", pair.right_names_[i], "', the left's does not"));
    }
  }
  return pair;
}

absl::Status BodyPair::Feed(const Iteration& iteration) {
  Feeds ours = left_outer_;
  for (size_t i = 0; i < left_names_.size() && i < iteration.inputs.size(); ++i) {
    if (!iteration.inputs[i].empty()) ours[left_names_[i]] = iteration.inputs[i];
  }
  Feeds theirs = right_outer_;
  for (size_t j = 0; j < right_names_.size(); ++j) {
    const auto i = static_cast<size_t>(inputs_[j]);
    if (i >= iteration.inputs.size() || iteration.inputs[i].empty()) continue;
    Value value = iteration.inputs[i];
    if (value.is_tensor() && right_dtypes_[j] != DType::kUndefined &&
        right_dtypes_[j] != value.tensor().dtype()) {
      const Shape shape = value.tensor().shape();
      OC_ASSIGN_OR_RETURN(value, ConvertedTo(value, right_dtypes_[j], shape));
    }
    theirs[right_names_[j]] = std::move(value);
  }
  left_->SetFeeds(std::move(ours));
  right_->SetFeeds(std::move(theirs));
  return absl::OkStatus();
}

absl::StatusOr<BodyPair::Step> BodyPair::RunRight(const Iteration& iteration) const {
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, right_->evaluator()->Run(*right_->feeds()));
  Step all;
  for (size_t j = 0; j < outputs.size() && j < outputs_.size(); ++j) {
    if (outputs_[j] == kNone) continue;
    const auto i = static_cast<size_t>(outputs_[j]);
    // A function call may omit some of its outputs.
    if (i >= iteration.outputs.size() || iteration.outputs[i].empty() || outputs[j].empty())
      continue;
    const Step step = StepOf(iteration.outputs[i], outputs[j]);
    all.distance = std::max(all.distance, step.distance);
    all.near = all.near && step.near;
  }
  return all;
}

}  // namespace onnxcmp
