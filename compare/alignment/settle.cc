// Two questions, in this order:
//
//   claims, by points     1. Which claim of a result stands?        2. Whose row is a partner's?
//
//   names    r1 -> m  83     r1 -> m                                    r1 | m   the most points
//   values   r2 -> m  81     r2 -> m                                    r2 | m   merged
//   names    r3 -> n  82     -                                          n        alone
//   inside   r3 in m  95     r3 in m                                    r3       beside m
//
// A result without claims keeps its partner of the aligner. If a surer claim takes a result away
// from a partner, the next claim on the partner gets the row: nothing has to be taken back.
#include "compare/alignment/settle.h"

#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "record/base/per_side.h"

namespace onnxcmp {
namespace {

// By result: the row where it is the last of its side, kNone if it is absorbed. A merged result
// owns the row that repeats its partner.
std::vector<int> OwnRows(const Alignment& alignment, SideId id, size_t results) {
  std::vector<int> rows(results, kNone);
  for (const bool merged : {false, true}) {
    for (size_t i = 0; i < alignment.rows.size(); ++i) {
      const AlignedRow& row = alignment.rows[i];
      const FewResults& side = OfSide(row, id);
      if (side.empty() || Has(row.marks, Mark::kMerged) != merged) continue;
      int& own = rows[Index(side.back())];
      if (own == kNone) own = static_cast<int>(i);
    }
  }
  return rows;
}

class Settler {
 public:
  Settler(const Alignment& aligned, std::vector<Claim>* claims, const ResultStream& left,
          const ResultStream& right)
      : aligned_(aligned),
        claims_(*claims),
        left_(left),
        right_(right),
        rows_{OwnRows(aligned, SideId::kLeft, left.results.size()),
              OwnRows(aligned, SideId::kRight, right.results.size())},
        touched_(aligned.rows.size()) {}

  Settled Run() {
    TakeSurest();
    GiveRows();
    return MakeRows();
  }

 private:
  // A pair as a row shows it.
  struct Seat {
    const Claim* claim = nullptr;
    bool merged = false;
  };

  int RowOf(SideId side, int result) const { return rows_[side][Index(result)]; }

  void TakeSurest() {
    std::vector<size_t> order(claims_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    absl::c_stable_sort(order,
                        [&](size_t a, size_t b) { return claims_[a].points > claims_[b].points; });
    for (const size_t i : order) {
      Claim& claim = claims_[i];
      claim.outcome = ClaimOutcome::kBeaten;
      if (claim.own.has_value()) {
        TakeOwn(&claim);
      } else {
        TakeBoth(&claim);
      }
    }
  }

  void TakeBoth(Claim* claim) {
    for (const SideId side : kBothSides) {
      const int result = OfSide(*claim, side);
      if (RowOf(side, result) == kNone || taken_[side].contains(result)) return;
    }
    for (const SideId side : kBothSides) {
      taken_[side].insert(OfSide(*claim, side));
      exclusive_[side].insert(OfSide(*claim, side));
    }
    claim->outcome = ClaimOutcome::kPaired;
    if (RowOf(SideId::kLeft, claim->left) == RowOf(SideId::kRight, claim->right)) return;
    Place(claim, /*merged=*/false, SideId::kLeft);
  }

  void TakeOwn(Claim* claim) {
    const SideId own = *claim->own;
    const int result = OfSide(*claim, own);
    const int other = OfSide(*claim, Other(own));
    const bool beside = RowOfRule(claim->rule).beside;
    if (taken_[own].contains(result) || RowOf(own, result) == kNone) return;
    if (!beside && RowOf(Other(own), other) == kNone) return;
    taken_[own].insert(result);
    if (beside) {
      claim->outcome = ClaimOutcome::kBeside;
      touched_[Index(RowOf(own, result))] = true;
    } else {
      standing_[own][other].push_back(claim);  // the surest first
    }
  }

  // The row of a partner is that of the surest claim, unless an exclusive claim gives it away or a
  // result that makes no claim has it.
  void GiveRows() {
    for (const SideId own : kBothSides) {
      for (auto& [other, claims] : standing_[own]) {
        const int now = aligned_.partners(Other(own))[Index(other)];
        const bool is_kept =
            exclusive_[Other(own)].contains(other) || (now != kNone && !taken_[own].contains(now));
        auto owner = absl::c_find_if(claims, [](const Claim* claim) { return !claim->shares; });
        if (owner == claims.end()) owner = claims.begin();
        for (Claim* const claim : claims) {
          const bool merged = is_kept || claim != *owner;
          const int result = OfSide(*claim, own);
          claim->outcome = merged ? ClaimOutcome::kShares : ClaimOutcome::kPaired;
          const bool as_it_is =
              aligned_.partners(own)[Index(result)] == other && (now == result) != merged;
          if (!as_it_is) Place(claim, merged, own);
        }
      }
    }
  }

  void Place(const Claim* claim, bool merged, SideId own) {
    const auto touch = [&](SideId side) {
      touched_[Index(RowOf(side, OfSide(*claim, side)))] = true;
    };
    touch(own);
    if (!merged) touch(Other(own));
    // Rows stand at the left's place; those that the right has merged, behind their partner's.
    if (!merged || own == SideId::kRight) moved_.insert(claim->right);
    if (merged && own == SideId::kRight) {
      behind_[claim->left].push_back({claim, true});
    } else {
      at_left_[claim->left] = {claim, merged};
    }
  }

  AlignedRow RowOfSeat(const Seat& seat) const {
    const RuleRow& rule = RowOfRule(seat.claim->rule);
    AlignedRow row = {
        {seat.claim->left}, {seat.claim->right}, static_cast<Marks>(rule.mark), rule.rule};
    const auto mark = [&](Mark one) {
      row.marks = static_cast<Marks>(row.marks | static_cast<Marks>(one));
    };
    if (seat.merged) mark(Mark::kMerged);
    if (left_.results[Index(seat.claim->left)].dtype !=
        right_.results[Index(seat.claim->right)].dtype) {
      mark(Mark::kCast);
    }
    return row;
  }

  void AddTouched(int i, Settled* settled) const {
    const AlignedRow& row = aligned_.rows[Index(i)];
    const auto add = [&]() -> AlignedRow& {
      settled->before.push_back(kNone);
      return settled->alignment.rows.emplace_back();
    };
    // In a merged row the repeated partner stays.
    const auto is_here = [&](SideId side, int result) {
      return !Has(row.marks, Mark::kMerged) || RowOf(side, result) == i;
    };
    for (const int l : row.left) {
      if (!is_here(SideId::kLeft, l)) continue;
      settled->alignment.left_to_right[Index(l)] = kNone;
      const auto seat = at_left_.find(l);
      if (seat == at_left_.end()) {
        add().left.push_back(l);
      } else {
        add() = RowOfSeat(seat->second);
      }
    }
    for (const int r : row.right) {
      if (!is_here(SideId::kRight, r)) continue;
      settled->alignment.right_to_left[Index(r)] = kNone;
      if (!moved_.contains(r)) add().right.push_back(r);
    }
  }

  // Rows that are merged with the one of this place.
  void AddBehind(int i, Settled* settled) const {
    const FewResults& left = aligned_.rows[Index(i)].left;
    const auto seats = left.empty() ? behind_.end() : behind_.find(left.back());
    if (seats == behind_.end() || RowOf(SideId::kLeft, left.back()) != i) return;
    for (const Seat& seat : seats->second) {
      settled->alignment.rows.push_back(RowOfSeat(seat));
      settled->before.push_back(kNone);
    }
  }

  Settled MakeRows() const {
    Settled settled;
    Alignment& made = settled.alignment;
    made.left_to_right = aligned_.left_to_right;
    made.right_to_left = aligned_.right_to_left;
    made.tentative = aligned_.tentative;
    made.reordered = aligned_.reordered;
    made.derived = aligned_.derived;
    made.claims = aligned_.claims;
    for (size_t i = 0; i < aligned_.rows.size(); ++i) {
      if (touched_[i]) {
        AddTouched(static_cast<int>(i), &settled);
      } else {
        made.rows.push_back(aligned_.rows[i]);
        settled.before.push_back(static_cast<int>(i));
      }
      AddBehind(static_cast<int>(i), &settled);
    }
    for (const auto& [l, seat] : at_left_) {
      made.left_to_right[Index(l)] = seat.claim->right;
      if (!seat.merged) made.right_to_left[Index(seat.claim->right)] = l;
    }
    for (const auto& [l, seats] : behind_) {
      for (const Seat& seat : seats) made.right_to_left[Index(seat.claim->right)] = l;
    }
    for (const Claim& claim : claims_) {
      if (claim.outcome != ClaimOutcome::kBeside) continue;
      const SideId own = *claim.own;
      made.derived.push_back({own, OfSide(claim, own), OfSide(claim, Other(own)), claim.how});
    }
    return settled;
  }

  const Alignment& aligned_;
  std::vector<Claim>& claims_;
  const ResultStream& left_;
  const ResultStream& right_;
  const PerSide<std::vector<int>> rows_;
  std::vector<bool> touched_;                    // by row of `aligned_`
  PerSide<absl::flat_hash_set<int>> taken_;      // results whose claim stands
  PerSide<absl::flat_hash_set<int>> exclusive_;  // results whose rows are given away
  // By the claiming side and the other side's result: claims that stand.
  PerSide<absl::btree_map<int, std::vector<Claim*>>> standing_;
  absl::flat_hash_map<int, Seat> at_left_;              // new pairs by left result
  absl::flat_hash_map<int, std::vector<Seat>> behind_;  // by left result: what shares it
  absl::flat_hash_set<int> moved_;  // right results that stand at the left's place
};

}  // namespace

Settled Settle(const Alignment& aligned, std::vector<Claim>* claims, const ResultStream& left,
               const ResultStream& right) {
  return Settler(aligned, claims, left, right).Run();
}

}  // namespace onnxcmp
