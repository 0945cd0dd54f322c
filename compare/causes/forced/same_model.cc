#include "compare/causes/forced/same_model.h"

#include "absl/strings/string_view.h"
#include "compare/streams/result_stream.h"

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

}  // namespace onnxcmp
