#include "compare/alignment/alignment_stages.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/result_groups.h"
#include "compare/alignment/weights.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

std::vector<int> FreeOf(const Pairing& pairing, SideId side, int content, size_t most) {
  std::vector<int> free;
  for (int r : pairing.index()[side].of_content[content]) {
    if (free.size() == most) break;
    if (pairing.is_free(side, r)) free.push_back(r);
  }
  return free;
}

}  // namespace

AlignmentStages::AlignmentStages(Pairing& pairing, ValueEvidence& evidence, ClaimLog* log)
    : pairing_(pairing),
      index_(pairing.index()),
      evidence_(evidence),
      queue_(pairing, evidence, log) {}

void AlignmentStages::Run() {
  PairInputs();
  PairOutputRows(pairing_, evidence_);
  using Stage = void (AlignmentStages::*)();
  static constexpr Stage kStages[] = {
      &AlignmentStages::PairAnchors,
      &AlignmentStages::PairSurroundings,
      &AlignmentStages::PairGroups,
      &AlignmentStages::PairNearOnes,
      &AlignmentStages::PairEqualElements,
      &AlignmentStages::PairEqualMoments,
      &AlignmentStages::PairInputsByName,
      &AlignmentStages::PairStructure,
      &AlignmentStages::PairLeavesAndCopies,
      &AlignmentStages::Settle,
      &AlignmentStages::PairGaps,
      &AlignmentStages::PairResized,
  };
  for (const Stage stage : kStages) {
    // No stage withdraws pairs of an earlier one.
    if (pairing_.one_side_is_paired()) return;
    (this->*stage)();
  }
}

void AlignmentStages::PairAnchors() {
  queue_.SetRule({.threshold = weights::kAnchor, .rule = Rule::kAnchors});
  PushUniqueContents(/*poor_too=*/false);
  queue_.Drain();
}

void AlignmentStages::PairSurroundings() {
  queue_.SetRule({.threshold = weights::kSure, .rule = Rule::kSurroundings});
  queue_.SpreadAll();
  PushUniqueContents(/*poor_too=*/true);
  queue_.Drain();
  PairNear({.threshold = weights::kSure, .rule = Rule::kSurroundings});
}

void AlignmentStages::PairGroups() {
  queue_.SetRule({.threshold = weights::kPlausibleValue, .rule = Rule::kGroups});
  PushEqualGroups(/*leaves_too=*/false);
  queue_.Drain();
}

void AlignmentStages::PairNearOnes() {
  PairNear({.threshold = weights::kSure, .rule = Rule::kNear});
  PairNear({.threshold = weights::kBarelyNear, .rule = Rule::kNear});
}

void AlignmentStages::PairLeavesAndCopies() {
  pairing_.MixCopies();
  queue_.SetRule({.threshold = weights::kPlausibleValue, .rule = Rule::kLeaves});
  queue_.SpreadAll();
  queue_.Drain();
  PushEqualGroups(/*leaves_too=*/true);
  queue_.Drain();
  PairStructure();
}

void AlignmentStages::Settle() {
  SpreadStructure(pairing_, queue_, Scoring::kSettling, Rule::kSettling);
}

void AlignmentStages::PairInputs() {
  const auto pair = [&](bool by_name) {
    absl::flat_hash_map<std::pair<int, absl::string_view>, std::vector<int>> rights;
    const auto key = [&](const StreamIndex& side, int r) {
      const absl::string_view name = by_name ? side.result(r).name : absl::string_view();
      return std::pair(StreamIndex::At(side.content, r), name);
    };
    for (int r = index_.right.size() - 1; r >= 0; --r) {
      if (index_.right.result(r).kind != ResultKind::kInput || !pairing_.right_free(r)) continue;
      rights[key(index_.right, r)].push_back(r);
    }
    for (int l = 0; l < index_.left.size(); ++l) {
      if (index_.left.result(l).kind != ResultKind::kInput || !pairing_.left_free(l)) continue;
      const auto it = rights.find(key(index_.left, l));
      if (it == rights.end() || it->second.empty()) continue;
      pairing_.Pair(l, it->second.back(), Rule::kInputs);
      it->second.pop_back();
    }
  };
  pair(/*by_name=*/true);
  pair(/*by_name=*/false);
}

void AlignmentStages::PairInputsByName() {
  absl::flat_hash_map<absl::string_view, int> rights;
  for (int r = 0; r < index_.right.size(); ++r) {
    if (index_.right.result(r).kind == ResultKind::kInput && pairing_.right_free(r)) {
      rights.try_emplace(index_.right.result(r).name, r);
    }
  }
  const PairScore score(pairing_, evidence_);
  for (int l = 0; l < index_.left.size(); ++l) {
    if (index_.left.result(l).kind != ResultKind::kInput || !pairing_.left_free(l)) continue;
    const auto it = rights.find(index_.left.result(l).name);
    if (it == rights.end() || !pairing_.right_free(it->second)) continue;
    if (!score.Regrets(l, it->second, Scoring::kStrict))
      pairing_.Pair(l, it->second, Rule::kInputNames);
  }
}

void AlignmentStages::PushUniqueContents(bool poor_too) {
  for (int content = 0; content < index_.contents; ++content) {
    const auto lefts = index_.left.of_content[content];
    const auto rights = index_.right.of_content[content];
    if (lefts.size() != 1 || rights.size() != 1) continue;
    if (poor_too || index_.left.fingerprint(lefts[0]).rich) queue_.Push(lefts[0], rights[0]);
  }
}

void AlignmentStages::PushEqualGroups(bool leaves_too) {
  for (int content = 0; content < index_.contents; ++content) {
    const auto free = [&](SideId id) {
      const StreamIndex& side = index_[id];
      std::vector<std::pair<int, int>> of_place;
      for (int r : side.of_content[content]) {
        if (!pairing_.is_free(id, r)) continue;
        if (!leaves_too && side.is_leaf(r)) continue;
        of_place.push_back({StreamIndex::At(side.place, r), r});
      }
      std::stable_sort(of_place.begin(), of_place.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      return of_place;
    };
    if (index_.right.of_content[content].empty()) continue;
    const auto lefts = free(SideId::kLeft);
    if (lefts.empty()) continue;
    const auto rights = free(SideId::kRight);
    std::vector<int> left_rest;
    std::vector<int> right_rest;
    size_t r = 0;
    for (const auto& [place, l] : lefts) {
      for (; r < rights.size() && rights[r].first < place; ++r) {
        right_rest.push_back(rights[r].second);
      }
      if (r < rights.size() && rights[r].first == place) {
        queue_.Push(l, rights[r++].second);
      } else {
        left_rest.push_back(l);
      }
    }
    for (; r < rights.size(); ++r) right_rest.push_back(rights[r].second);
    for (size_t i = 0; i < std::min(left_rest.size(), right_rest.size()); ++i) {
      queue_.Push(left_rest[i], right_rest[i]);
    }
  }
}

void AlignmentStages::PairNear(const PairRule& rule) {
  queue_.SetRule(rule);
  for (int round = 0; round < work_bounds::kFewTrials; ++round) {
    const int before = pairing_.pairs();
    for (int content = 0; content < index_.contents; ++content) {
      const auto nearest = evidence_.NearOfLeft(content);
      if (nearest.empty()) continue;
      const auto lefts = FreeOf(pairing_, SideId::kLeft, content, weights::kMostQueued);
      if (lefts.empty()) continue;
      for (const Nearness& near : nearest) {
        for (int r : FreeOf(pairing_, SideId::kRight, near.content, weights::kMostQueued)) {
          for (int l : lefts) queue_.Push(l, r);
        }
      }
    }
    queue_.Drain();
    if (pairing_.pairs() == before) return;
  }
}

void AlignmentStages::PairEqualElements() {
  queue_.SetRule({.threshold = weights::kSameElements, .rule = Rule::kElements});
  for (const std::vector<int> StreamIndex::*key : {&StreamIndex::bits, &StreamIndex::elements}) {
    ResultGroups groups;
    for (const SideId id : kBothSides) {
      const StreamIndex& side = index_[id];
      for (int r = 0; r < side.size(); ++r) {
        const Fingerprint& f = side.fingerprint(r);
        if (side.is_output_row(r) || !f.rich || f.size <= 1) continue;
        if (pairing_.is_free(id, r)) groups.Add({StreamIndex::At(side.*key, r)}, id, r);
      }
    }
    for (const ResultGroup& group : groups.all()) {
      if (group.left.size() == 1 && group.right.size() == 1) {
        queue_.Push(group.left[0], group.right[0]);
      }
    }
    queue_.Drain();
    for (const ResultGroup& group : groups.all()) {
      for (size_t i = 0; i < std::min(group.left.size(), weights::kMostQueued); ++i) {
        for (size_t k = 0; k < std::min(group.right.size(), weights::kMostQueued); ++k) {
          queue_.Push(group.left[i], group.right[k]);
        }
      }
    }
    queue_.Drain();
  }
}

void AlignmentStages::PairEqualMoments() {
  struct Entry {
    int64_t size;
    double rms;
    int result;
  };
  const auto sorted = [&](SideId id) {
    const StreamIndex& side = index_[id];
    std::vector<Entry> entries;
    for (int r = 0; r < side.size(); ++r) {
      const Fingerprint& f = side.fingerprint(r);
      if (side.is_output_row(r) || f.kind != ElementKind::kFloat || !f.rich ||
          f.size < weights::kLeastForMoments) {
        continue;
      }
      if (!pairing_.is_free(id, r)) continue;
      entries.push_back({f.size, f.numbers().moments[1], r});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      if (a.size != b.size) return a.size < b.size;
      return a.rms != b.rms ? a.rms < b.rms : a.result < b.result;
    });
    return entries;
  };
  const std::vector<Entry> lefts = sorted(SideId::kLeft);
  const std::vector<Entry> rights = sorted(SideId::kRight);
  queue_.SetRule({.threshold = weights::kSameElements, .rule = Rule::kElements});
  const double reach = index_.has_half ? weights::kHalfMoments : weights::kFloatMoments;
  for (const Entry& entry : lefts) {
    const double least = entry.rms * (1 - reach);
    auto it =
        std::lower_bound(rights.begin(), rights.end(), least, [&](const Entry& other, double rms) {
          return other.size != entry.size ? other.size < entry.size : other.rms < rms;
        });
    for (size_t seen = 0; it != rights.end() && seen < weights::kMostScored; ++it, ++seen) {
      if (it->size != entry.size || it->rms > entry.rms * (1 + reach)) break;
      if (!evidence_.SameMoments(entry.result, it->result)) continue;
      evidence_.RaiseToMoments(entry.result, it->result);
      queue_.Push(entry.result, it->result);
    }
  }
  queue_.Drain();
}

void SpreadStructure(Pairing& pairing, PairQueue& queue, Scoring scoring, Rule rule) {
  const AlignmentIndex& index = pairing.index();
  queue.SetRule({.threshold = weights::kStructural, .scoring = scoring, .rule = rule});
  for (int round = 0; round < work_bounds::kFewTrials; ++round) {
    const int before = pairing.pairs();
    queue.SpreadAll();
    for (int l = 0; l < index.left.size(); ++l) {
      if (!index.left.is_output_row(l) || pairing.left_free(l)) continue;
      const int left_source = index.left.result(l).source;
      const int right_source = index.right.result(pairing.of_left(l)).source;
      if (left_source == kNone || right_source == kNone) continue;
      queue.Push(left_source, right_source);
      queue.Push(pairing.StandInLeft(left_source), pairing.StandInRight(right_source));
    }
    queue.Drain();
    if (pairing.pairs() == before) return;
  }
}

void AlignmentStages::PairStructure() {
  for (int round = 0; round < 2; ++round) {
    SpreadStructure(pairing_, queue_, Scoring::kLoose, Rule::kStructure);
    const int before = pairing_.pairs();
    PairNear({.threshold = weights::kNearStructural,
              .scoring = Scoring::kLoose,
              .rule = Rule::kStructure});
    if (pairing_.pairs() == before) return;
  }
}

void AlignmentStages::PairGaps() { onnxcmp::PairGaps(pairing_, evidence_, queue_); }

void AlignmentStages::PairResized() {
  SpreadStructure(pairing_, queue_, Scoring::kResized, Rule::kResized);
}

}  // namespace onnxcmp
