#include "compare/causes/cause_refinement.h"

#include <vector>

namespace onnxcmp {

namespace {

std::vector<int> WithoutCopies(const SideGraph& graph, const Region& region) {
  std::vector<int> nodes;
  for (const int n : region.nodes) {
    if (graph.node(n).made->op_type != "Identity") nodes.push_back(n);
  }
  return nodes;
}

}  // namespace

std::pair<int, int> Refined(const ForcedRun& run, const ForcedState& state,
                            const RegionNoise& noise, int right) {
  const LeftClasses& left = run.left();
  const int c = state.at(right).match;
  const std::pair<int, int> pair = {left.representative(c), right};
  if (!run.right().IsComputed(right) || !left.computed(c)) return pair;
  const std::vector<int> theirs = WithoutCopies(run.right(), noise.RightRegion(right));
  const std::vector<int> ours = WithoutCopies(left.graph(), noise.LeftRegion(c));
  if (theirs.size() < 2 || theirs.size() != ours.size()) return pair;
  std::vector<std::pair<int, int>> found;
  for (size_t i = 0; i < theirs.size(); ++i) {
    const StreamNode& made = *run.right().node(theirs[i]).made;
    const StreamNode& other = *left.graph().node(ours[i]).made;
    if (made.op_type != other.op_type || made.domain != other.domain ||
        made.inputs.size() != other.inputs.size() || made.outputs.size() != other.outputs.size()) {
      return pair;
    }
    if (made.attributes != other.attributes) {
      found.emplace_back(other.outputs.front(), made.outputs.front());
    }
    for (size_t k = 0; k < made.inputs.size(); ++k) {
      const int r = made.inputs[k];
      const int l = other.inputs[k];
      if (r == kNone || l == kNone || !run.right().IsConstant(r)) continue;
      if (state.at(r).match != kNone || !left.graph().IsConstant(l)) continue;
      if (left.graph().result(l).fingerprint.content != run.right().result(r).fingerprint.content) {
        found.emplace_back(l, r);
      }
    }
  }
  return found.size() == 1 && found[0].first != kNone && found[0].second != kNone ? found[0] : pair;
}

}  // namespace onnxcmp
