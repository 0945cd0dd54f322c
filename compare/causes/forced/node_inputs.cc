#include "compare/causes/forced/node_inputs.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

std::vector<InputPair> ByPlace(const FewResults& ours, const FewResults& theirs) {
  std::vector<InputPair> pairs(std::max(ours.size(), theirs.size()));
  for (size_t i = 0; i < ours.size(); ++i) pairs[i].left = ours[i];
  for (size_t i = 0; i < theirs.size(); ++i) pairs[i].right = theirs[i];
  return pairs;
}

}  // namespace

std::vector<InputPair> PairInputs(const ForcedRun& run, const ForcedState& state, int left_node,
                                  int right_node) {
  const StreamNode& ours = *run.left().graph().node(left_node).made;
  const StreamNode& theirs = *run.right().node(right_node).made;
  const auto equal = [&](int l, int r) {
    const int c = run.left().of(l);
    return c != kNone && r != kNone && state.at(r).match == c;
  };
  std::vector<InputPair> pairs = ByPlace(ours.inputs, theirs.inputs);
  for (InputPair& pair : pairs) pair.equal = equal(pair.left, pair.right);
  if (HasTrait(ours, OperatorTrait::kCommutative)) {
    for (InputPair& pair : pairs) {
      const auto partner = std::find_if(pairs.begin(), pairs.end(), [&](const InputPair& other) {
        return !other.equal && equal(pair.left, other.right);
      });
      if (pair.equal || partner == pairs.end()) continue;
      std::swap(pair.right, partner->right);
      pair.equal = true;
      partner->equal = equal(partner->left, partner->right);
    }
  }
  std::erase_if(pairs, [](const InputPair& p) { return p.left == kNone && p.right == kNone; });
  return pairs;
}

}  // namespace onnxcmp
