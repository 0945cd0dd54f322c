#include "compare/causes/forced/same_model.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "record/graphs/ahead_runner.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

bool IsSameNode(const SideGraph& left, const SideGraph& right, size_t n) {
  const StreamNode& ours = *left.nodes()[n].made;
  const StreamNode& theirs = *right.nodes()[n].made;
  if (ours.op_type != theirs.op_type || ours.domain != theirs.domain ||
      ours.attributes != theirs.attributes || ours.outputs.size() != theirs.outputs.size() ||
      ours.inputs.size() != theirs.inputs.size()) {
    return false;
  }
  const auto name = [](const SideGraph& graph, int r) {
    return r == kNone ? absl::string_view() : absl::string_view(graph.result(r).name);
  };
  for (size_t i = 0; i < ours.outputs.size(); ++i) {
    if (name(left, ours.outputs[i]) != name(right, theirs.outputs[i])) return false;
  }
  for (size_t i = 0; i < ours.inputs.size(); ++i) {
    if (name(left, ours.inputs[i]) != name(right, theirs.inputs[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<FixedMatches> MatchesOfSameModel(const ValueClasses& left, const SideGraph& right) {
  const SideGraph& graph = left.graph();
  if (graph.nodes().size() != right.nodes().size()) return std::nullopt;
  FixedMatches matches;
  for (size_t n = 0; n < right.nodes().size(); ++n) {
    if (!IsSameNode(graph, right, n)) return std::nullopt;
    const StreamNode& ours = *graph.nodes()[n].made;
    const StreamNode& theirs = *right.nodes()[n].made;
    for (size_t i = 0; i < theirs.outputs.size(); ++i) {
      if (theirs.outputs[i] == kNone || !right.IsComputed(theirs.outputs[i])) continue;
      const int c = left.of(ours.outputs[i]);
      if (c != kNone) matches[theirs.outputs[i]] = c;
    }
  }
  return matches;
}

void RunAheadOn(const ForcedRun& run, const FixedMatches& matches) {
  const SideGraph& right = run.right();
  auto* const runner = dynamic_cast<AheadRunner*>(right.runner());
  if (runner == nullptr) return;
  const auto class_of = [&](int r) {
    const auto match = matches.find(r);
    return match != matches.end() ? match->second
                                  : run.left().Find(right.result(r).fingerprint.content);
  };
  const auto is_as_in_plain_run = [&](int r) {
    return run.left().Find(right.result(r).fingerprint.content) == class_of(r);
  };
  std::vector<NodeOnValues> ahead;
  for (size_t n = 0; n < right.nodes().size(); ++n) {
    const SideGraph::GraphNode& node = right.nodes()[n];
    const std::vector<int> reads = right.Reads(static_cast<int>(n));
    if (node.index == kNone || !node.captures.empty() || reads.empty()) continue;
    if (absl::c_any_of(reads, [&](int r) { return class_of(r) == kNone; })) continue;
    const auto is_known = [&](int r) {
      return r == kNone || !run.plain(r).empty() ||
             run.left().Find(right.result(r).fingerprint.content) != kNone;
    };
    if (absl::c_all_of(reads, is_as_in_plain_run) && absl::c_all_of(node.made->outputs, is_known)) {
      continue;
    }
    NodeOnValues one;
    one.index = node.index;
    for (const int input : node.made->inputs) {
      one.inputs.push_back(
          input == kNone ? Value() : right.ForModel(input, run.ValueFor(class_of(input), input)));
    }
    ahead.push_back(std::move(one));
  }
  runner->RunAhead(std::move(ahead));
}

}  // namespace onnxcmp
