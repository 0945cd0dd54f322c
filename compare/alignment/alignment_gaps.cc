// Stage 13, gaps.
#include <algorithm>
#include <vector>

#include "compare/alignment/alignment_stages.h"
#include "compare/alignment/result_groups.h"
#include "compare/alignment/weights.h"
#include "record/base/per_side.h"

namespace onnxcmp {
namespace {

// For every result, the latest paired result before it and the earliest paired one after it, in the
// left stream's order. Unpaired results between are skipped.
struct Frontier {
  std::vector<int> before;
  std::vector<int> behind;
};

// The left index of a paired result, kNone if it is free.
int TimeOf(const Pairing& pairing, SideId id, int r) {
  if (id == SideId::kLeft) return pairing.left_free(r) ? kNone : r;
  return pairing.of_right(r);
}

Frontier FrontierOf(const Pairing& pairing, SideId id) {
  const StreamIndex& side = pairing.index()[id];
  const size_t size = static_cast<size_t>(side.size());
  Frontier frontier{std::vector<int>(size, kNone), std::vector<int>(size, kNone)};
  for (int r = 0; r < side.size(); ++r) {
    const int n = side.producer(r);
    if (n == kNone) continue;
    int& latest = frontier.before[Index(r)];
    const auto see = [&](int input) {
      if (input == kNone || input >= r || side.is_leaf(input)) return;
      const int time = TimeOf(pairing, id, input);
      latest = std::max(latest, time != kNone ? time : StreamIndex::At(frontier.before, input));
    };
    for (int input : side.inputs[n]) see(input);
    for (int capture : side.node(n).captures) see(capture);
  }
  for (int r = side.size() - 1; r >= 0; --r) {
    int& earliest = frontier.behind[Index(r)];
    for (const Use& use : side.uses[r]) {
      for (int output : side.outputs[use.node]) {
        if (output == kNone || output <= r) continue;
        int time = TimeOf(pairing, id, output);
        if (time == kNone) time = StreamIndex::At(frontier.behind, output);
        if (time != kNone && (earliest == kNone || time < earliest)) earliest = time;
      }
    }
  }
  return frontier;
}

// Properties that the members of a group share.
struct GapRule {
  bool before;
  bool behind;
  bool same_operator;
};

class Gaps {
 public:
  Gaps(Pairing& pairing, const ValueEvidence& evidence, PairQueue& queue)
      : pairing_(pairing), evidence_(evidence), queue_(queue), index_(pairing.index()) {}

  void Pair(const GapRule& rule) {
    UpdateFrontiers();
    ResultGroups groups;
    for (const SideId side : kBothSides) AddFree(groups, side, rule);
    queue_.SetRule(
        {.threshold = weights::kStructural, .scoring = Scoring::kSettling, .rule = Rule::kGaps});
    const bool strictest = rule.before && rule.behind && rule.same_operator;
    for (const ResultGroup& group : groups.all()) {
      const bool alone = group.left.size() == 1 && group.right.size() == 1;
      const bool in_order = strictest && group.left.size() == group.right.size() &&
                            !group.left.empty() && HasAfter(group.left[0]);
      if (!alone && !in_order) continue;
      for (size_t i = 0; i < group.left.size(); ++i) Offer(group.left[i], group.right[i]);
    }
    queue_.Drain();
    SpreadStructure(pairing_, queue_, Scoring::kSettling, Rule::kGaps);
  }

 private:
  void UpdateFrontiers() {
    // This stage only adds pairs.
    if (pairing_.pairs() == pairs_seen_) return;
    for (const SideId side : kBothSides) frontiers_[side] = FrontierOf(pairing_, side);
    pairs_seen_ = pairing_.pairs();
  }

  void AddFree(ResultGroups& groups, SideId id, const GapRule& rule) {
    const StreamIndex& side = index_[id];
    const Frontier& frontier = frontiers_[id];
    for (int r = 0; r < side.size(); ++r) {
      if (side.is_output_row(r) || TimeOf(pairing_, id, r) != kNone) continue;
      const bool leaf = side.is_leaf(r);
      const int behind = StreamIndex::At(frontier.behind, r);
      if (leaf && (behind == kNone || !rule.behind)) continue;
      const int n = side.producer(r);
      const bool by_operator = rule.same_operator && n != kNone;
      const ResultGroups::Key key = {rule.before ? StreamIndex::At(frontier.before, r) : kNone,
                                     rule.behind ? behind : kNone,
                                     StreamIndex::At(side.shape, r),
                                     static_cast<int>(StreamIndex::At(side.kinds, r)),
                                     leaf ? 1 : 0,
                                     StreamIndex::At(side.place, r),
                                     by_operator ? StreamIndex::At(side.op, n) : kNone,
                                     by_operator ? StreamIndex::At(side.slots, r) : 0};
      groups.Add(key, id, r);
    }
  }

  bool HasAfter(int l) const { return !index_.left.uses[l].empty(); }

  void Offer(int l, int r) {
    const bool poor = !index_.left.fingerprint(l).rich || !index_.right.fingerprint(r).rich;
    if (index_.left.is_leaf(l) && poor && evidence_.Distance(l, r) > weights::kSurePoorLeaf) return;
    queue_.PushAnyway(l, r);
  }

  Pairing& pairing_;
  const ValueEvidence& evidence_;
  PairQueue& queue_;
  const AlignmentIndex& index_;
  PerSide<Frontier> frontiers_;
  int pairs_seen_ = kNone;  // number of pairs when the frontiers were computed
};

}  // namespace

void PairGaps(Pairing& pairing, const ValueEvidence& evidence, PairQueue& queue) {
  static constexpr GapRule kRules[] = {
      {.before = true, .behind = true, .same_operator = true},
      {.before = true, .behind = true, .same_operator = false},
      {.before = true, .behind = false, .same_operator = true},
      {.before = false, .behind = true, .same_operator = true},
  };
  Gaps gaps(pairing, evidence, queue);
  for (const GapRule& rule : kRules) gaps.Pair(rule);
}

}  // namespace onnxcmp
