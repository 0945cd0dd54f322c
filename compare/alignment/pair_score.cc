#include "compare/alignment/pair_score.h"

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "compare/alignment/weights.h"

namespace onnxcmp {
namespace {

// True for a packed result, which is split before any other use. No part of it is the whole.
bool IsSplitAtOnce(const StreamIndex& side, int r) {
  const auto uses = side.uses[r];
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    return side.node(use.node).op_type == "Split";
  });
}

}  // namespace

double PairScore::Score(int l, int r, Scoring scoring) const {
  if (scoring != Scoring::kStrict) return LooseScore(l, r, scoring);
  const double value = evidence_.Value(l, r);
  return (value < weights::kChance ? std::min(value, weights::kContrary) : value) +
         Producers(l, r) + Uses(l, r) + Labels(l, r);
}

double PairScore::LooseScore(int l, int r, Scoring scoring) const {
  const StreamIndex& left = pairing_.index().left;
  const StreamIndex& right = pairing_.index().right;
  const double value = evidence_.Value(l, r);
  if (value >= weights::kSameElements || evidence_.SameContent(l, r)) {
    return Score(l, r, Scoring::kStrict);
  }
  const bool same_shape = StreamIndex::At(left.shape, l) == StreamIndex::At(right.shape, r);
  if (value < weights::kPlausibleValue) {
    if (StreamIndex::At(left.kinds, l) != StreamIndex::At(right.kinds, r)) return kImpossible;
    if (!same_shape) {
      if (scoring != Scoring::kResized) return kImpossible;
      const auto& left_shape = left.result(l).shape;
      const auto& right_shape = right.result(r).shape;
      if (!left_shape || !right_shape || left_shape->size() != right_shape->size()) {
        return kImpossible;
      }
      if (IsSplitAtOnce(left, l) != IsSplitAtOnce(right, r)) return kImpossible;
    }
  }
  double producers = Producers(l, r);
  if (value < weights::kDoubtfulValue) {
    const int left_node = left.producer(l);
    const int right_node = right.producer(r);
    const bool one_leaf = left.is_leaf(l) != right.is_leaf(r);
    const bool other_operator =
        left_node != kNone && right_node != kNone &&
        StreamIndex::At(left.op, left_node) != StreamIndex::At(right.op, right_node);
    if (one_leaf || other_operator) {
      if (!same_shape) return kImpossible;
      producers += weights::kDoubt;
    }
  }
  const double structure = producers + Uses(l, r);
  const bool leaves = left.is_leaf(l) || right.is_leaf(r);
  const bool rich = StreamIndex::At(left.rich, l) && StreamIndex::At(right.rich, r);
  if (!leaves && !rich && structure < weights::kPoorStructure) return kImpossible;
  if (value < weights::kPlausibleValue && !same_shape && structure < weights::kResizedStructure)
    return kImpossible;
  return (value < weights::kChance ? weights::kCounterSign : value) + structure + Labels(l, r);
}

double PairScore::Labels(int l, int r) const {
  const StreamIndex& left = pairing_.index().left;
  const StreamIndex& right = pairing_.index().right;
  double labels =
      StreamIndex::At(left.name, l) == StreamIndex::At(right.name, r) ? weights::kHint : 0;
  if (StreamIndex::At(left.place, l) != StreamIndex::At(right.place, r)) {
    labels += weights::kDoubt;
  }
  return labels;
}

bool PairScore::Regrets(int l, int r, Scoring scoring) const {
  if (evidence_.SameContent(l, r)) return false;
  const AlignmentIndex& index = pairing_.index();
  const int left_content = StreamIndex::At(index.left.content, l);
  const int right_content = StreamIndex::At(index.right.content, r);
  double rival = kImpossible;
  if (pairing_.RightHasFree(left_content, l) || pairing_.LeftHasFree(right_content, r)) {
    rival = weights::kEqualContent;
  } else {
    for (const Nearness& near : evidence_.NearOfLeft(left_content)) {
      if (near.content != right_content && pairing_.RightHasFree(near.content, l)) {
        rival = std::max(rival, near.value);
        break;
      }
    }
    for (const Nearness& near : evidence_.NearOfRight(right_content)) {
      if (near.content != left_content && pairing_.LeftHasFree(near.content, r)) {
        rival = std::max(rival, near.value);
        break;
      }
    }
  }
  const double value = evidence_.Value(l, r) + weights::kRegret;
  if (rival <= value) return false;
  return rival == weights::kEqualContent || scoring == Scoring::kStrict ||
         scoring == Scoring::kLoose || HasRival(l, r, value, scoring);
}

bool PairScore::HasRival(int l, int r, double value, Scoring scoring) const {
  const AlignmentIndex& index = pairing_.index();
  const double own = Score(l, r, scoring);
  const auto rivals = [&](absl::Span<const Nearness> nearest, const StreamIndex& side,
                          auto&& is_free, auto&& score) {
    for (const Nearness& near : nearest) {
      if (near.value <= value) break;
      size_t seen = 0;
      for (int other : side.of_content[near.content]) {
        if (!is_free(other)) continue;
        if (score(other) >= own) return true;
        if (++seen == weights::kMostQueued) break;
      }
    }
    return false;
  };
  return rivals(
             evidence_.NearOfLeft(StreamIndex::At(index.left.content, l)), index.right,
             [&](int other) {
               return other != r && pairing_.right_free(other) && pairing_.Compatible(l, other);
             },
             [&](int other) { return Score(l, other, scoring); }) ||
         rivals(
             evidence_.NearOfRight(StreamIndex::At(index.right.content, r)), index.left,
             [&](int other) {
               return other != l && pairing_.left_free(other) && pairing_.Compatible(other, r);
             },
             [&](int other) { return Score(other, r, scoring); });
}

bool PairScore::Unlike(int l, int r) const {
  const StreamIndex& left = pairing_.index().left;
  const StreamIndex& right = pairing_.index().right;
  if (left.is_view(l) == right.is_view(r) || evidence_.SameContent(l, r)) return false;
  const int left_node = left.producer(l);
  const int right_node = right.producer(r);
  const bool same_operator =
      left_node != kNone && right_node != kNone &&
      StreamIndex::At(left.op, left_node) == StreamIndex::At(right.op, right_node);
  return !same_operator && evidence_.Distance(l, r) > weights::kNear;
}

double PairScore::Producers(int l, int r) const {
  const StreamIndex& left = pairing_.index().left;
  const StreamIndex& right = pairing_.index().right;
  if (left.is_leaf(l) || right.is_leaf(r))
    return left.is_leaf(l) && right.is_leaf(r) ? weights::kSign : 0;
  const int left_node = left.producer(l);
  const int right_node = right.producer(r);
  if (left_node == kNone || right_node == kNone) {
    // For a recording, only the operator or module of a result is known. Its inputs may be the same
    // values.
    const int left_maker = StreamIndex::At(left.made_by, l);
    const int right_maker = StreamIndex::At(right.made_by, r);
    if (left_maker == kNone || right_maker == kNone) return 0;
    return left_maker == right_maker ? weights::kSign : weights::kFaintHint;
  }
  double score = 0;
  if (StreamIndex::At(left.op, left_node) == StreamIndex::At(right.op, right_node)) {
    score += weights::kSign;
    score += StreamIndex::At(left.slots, l) == StreamIndex::At(right.slots, r) ? weights::kHint
                                                                               : weights::kDoubt;
    if (StreamIndex::At(left.attributes, left_node) ==
        StreamIndex::At(right.attributes, right_node)) {
      score += weights::kHint;
    }
  }
  return score + Inputs(left_node, right_node);
}

double PairScore::Inputs(int left_node, int right_node) const {
  const StreamIndex& left = pairing_.index().left;
  const StreamIndex& right = pairing_.index().right;
  const absl::Span<const int> left_inputs = left.inputs[left_node];
  const absl::Span<const int> right_inputs = right.inputs[right_node];
  const size_t left_count = std::min(left_inputs.size(), weights::kMostScored);
  const size_t right_count = std::min(right_inputs.size(), weights::kMostScored);
  const auto right_has = [&](auto&& condition) {
    return std::any_of(right_inputs.begin(),
                       right_inputs.begin() + static_cast<std::ptrdiff_t>(right_count),
                       [&](int input) { return input != kNone && condition(input); });
  };
  double hit = 0;
  double miss = 0;
  int left_present = 0;
  for (size_t i = 0; i < left_count; ++i) {
    if (left_inputs[i] == kNone) continue;
    ++left_present;
    const int input = pairing_.StandInLeft(left_inputs[i]);
    const int content = StreamIndex::At(left.content, input);
    const int partner = pairing_.of_left(input);
    if (partner != kNone) {
      const int partner_content = StreamIndex::At(right.content, partner);
      if (right_has([&](int r) { return r == partner || pairing_.StandInRight(r) == partner; })) {
        hit += 1;
      } else if (!right_has(
                     [&](int r) { return StreamIndex::At(right.content, r) == partner_content; })) {
        miss += 1;
      }
    } else if (left.is_leaf(input) && right_has([&](int r) {
                 return pairing_.right_free(r) && StreamIndex::At(right.content, r) == content;
               })) {
      hit += weights::kFreeConstant;
    }
  }
  int right_present = 0;
  for (size_t i = 0; i < right_count; ++i) right_present += right_inputs[i] != kNone ? 1 : 0;
  const int count = std::max(left_present, right_present);
  return count == 0 ? 0 : (weights::kStrongSign * hit + weights::kCounterSign * miss) / count;
}

double PairScore::Uses(int l, int r) const {
  const StreamIndex& left = pairing_.index().left;
  const StreamIndex& right = pairing_.index().right;
  const auto uses = left.uses[l];
  const auto outputs = left.output_rows[l];
  const bool left_used = !uses.empty() || !outputs.empty();
  const bool right_used = !right.uses[r].empty() || !right.output_rows[r].empty();
  if (!left_used || !right_used) return left_used == right_used ? weights::kSign : 0;
  const int content = StreamIndex::At(right.content, r);
  double hit = 0;
  double miss = 0;
  const size_t count = std::min(uses.size(), weights::kMostQueued);
  for (const Use& use : uses.first(count)) {
    const int output = left.first_output(use.node);
    if (output == kNone) continue;
    const int partner = pairing_.of_left(output);
    if (partner == kNone || right.producer(partner) == kNone) continue;
    const int reader = right.producer(partner);
    const int reads = right.Reads(reader, r, use.slot);
    if (reads > 0) {
      hit += reads == 2 ? 1 : weights::kOtherSlotUse;
      continue;
    }
    const absl::Span<const int> inputs = right.inputs[reader];
    const size_t scanned = std::min(inputs.size(), weights::kMostScored);
    const bool reads_equal = std::any_of(
        inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(scanned), [&](int input) {
          return input != kNone && StreamIndex::At(right.content, input) == content;
        });
    if (!reads_equal) miss += 1;
  }
  const size_t rows = std::min(outputs.size(), weights::kMostQueued);
  for (int row : outputs.first(rows)) {
    const int partner = pairing_.of_left(row);
    if (partner == kNone || right.result(partner).source == kNone) continue;
    const int source = right.result(partner).source;
    if (source == r || right.root(source) == r) {
      hit += 1;
    } else if (StreamIndex::At(right.content, source) != content) {
      miss += 1;
    }
  }
  return (weights::kStrongSign * hit + weights::kDoubt * miss) / static_cast<double>(count + rows);
}

}  // namespace onnxcmp
