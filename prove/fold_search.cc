#include "prove/fold_search.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

FoundFolds FoldSearch::All(absl::Span<const ProofPair> pairs, const PerSide<Traces>& traces) const {
  FoundFolds found;
  for (const ProofPair& pair : pairs) {
    if (!pair.may_be_fold || AreEqual(traces, pair.left, pair.right)) continue;
    const auto left = known_.left.find(pair.left);
    const auto right = known_.right.find(pair.right);
    if (left == known_.left.end() || right == known_.right.end()) continue;
    const FieldValue& leaf = pair.left_is_leaf ? left->second : right->second;
    const FieldValue& made = pair.left_is_leaf ? right->second : left->second;
    const std::optional<FoldedConstant> fold = FoldOf(field_, leaf, made);
    if (!fold.has_value()) continue;
    const SideId side = pair.left_is_leaf ? SideId::kLeft : SideId::kRight;
    found.residues[side][pair.left_is_leaf ? pair.left : pair.right] = fold->residues;
    found.told.push_back({pair.left, pair.right, fold->ulp});
  }
  for (const SideId side : kBothSides) {
    FieldValues constants;
    for (const auto& [name, value] : known_[side]) {
      if (!value.residues.defined()) constants[name] = value;
    }
    AddLayers(side, LayersOf(side, constants), &found);
    FindNumbers(side, &found);
  }
  return found;
}

FoundFolds FoldSearch::LayersOfOwnConstants(ConstantFacts* facts, LayerFolds* before) const {
  PerSide<absl::flat_hash_set<Hash128>> contents;
  for (const SideId side : kBothSides) {
    if ((*before)[Other(side)].has_value()) continue;
    for (const auto& [name, value] : known_[side]) {
      contents[side].insert(facts->Content(value.number));
    }
  }
  FoundFolds found;
  for (const SideId side : kBothSides) {
    std::optional<std::vector<FoldedConstant>>& folds = (*before)[side];
    if (!folds.has_value()) {
      FieldValues own;
      for (const auto& [name, value] : known_[side]) {
        if (value.residues.defined()) continue;
        if (!contents[Other(side)].contains(facts->Content(value.number))) own[name] = value;
      }
      folds = LayersOf(side, own);
    } else if (!folds->empty()) {
      const SideId other = Other(side);
      folds = FoldedLayersAgain(field_, *graphs_[other], known_[other], *std::move(folds), pool_);
    }
    AddLayers(side, *folds, &found);
    // The next run makes others: these are held only as long as the run that takes them.
    for (FoldedConstant& fold : *folds) fold.residues = Tensor();
  }
  return found;
}

std::vector<FoldedConstant> FoldSearch::LayersOf(SideId side, const FieldValues& constants) const {
  const SideId other = Other(side);
  return FoldedLayers(field_, *graphs_[other], known_[other], constants, pool_);
}

void FoldSearch::AddLayers(SideId side, const std::vector<FoldedConstant>& folds,
                           FoundFolds* found) {
  for (const FoldedConstant& fold : folds) {
    if (!found->residues[side].emplace(fold.constant, fold.residues).second) continue;
    const bool left = side == SideId::kLeft;
    found->told.push_back(
        {left ? fold.constant : fold.from, left ? fold.from : fold.constant, fold.ulp});
  }
}

void FoldSearch::FindNumbers(SideId side, FoundFolds* found) const {
  for (const FoldedNumber& fold :
       FoldedNumbersOf(field_, *graphs_[side], known_[side], known_[Other(side)])) {
    found->numbers[side][fold.number] = fold.residue;
    found->told.push_back({fold.text, fold.from, 1});
    if (side == SideId::kRight) std::swap(found->told.back().left, found->told.back().right);
  }
}

}  // namespace onnxcmp
