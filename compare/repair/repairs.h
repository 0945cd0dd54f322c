// What has been repaired so far, and trials of one repair more.
#ifndef ONNXCMP_COMPARE_REPAIR_REPAIRS_H_
#define ONNXCMP_COMPARE_REPAIR_REPAIRS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/forced/forced_run.h"
#include "compare/repair/claims.h"
#include "compare/repair/constant_suggestions.h"
#include "compare/repair/repair.h"
#include "compare/repair/repair_limits.h"
#include "compare/repair/repair_suggestions.h"

namespace onnxcmp {

class Repairs {
 public:
  // All must outlive the object.
  Repairs(const ForcedRun& run, const Suggester& suggester, const RepairLimits& limits);

  const ForcedRun& run() const { return run_; }
  const Suggester& suggester() const { return suggester_; }
  const RepairLimits& limits() const { return limits_; }
  const ForcedState& state() const { return repaired_.state; }
  // Pairs that were proved or, in vain, fallen back to; a later one may have taken their place.
  const std::vector<Suggestion>& pairs() const { return pairs_; }
  Repaired& repaired() { return repaired_; }

  void Adopt(ForcedState state);
  void Adopt(ForcedState state, const Suggestion& pair);
  // One of several of the state that were proved together.
  void AddPair(const Suggestion& pair) { pairs_.push_back(pair); }
  void Note(std::string limit) { repaired_.limits.insert(std::move(limit)); }

  // Whether all trials together have had what they may.
  bool RanLong();
  bool TriedEnough();
  // Of a trial that is made again with more patience only the last counts.
  void CountOnce(int64_t runs);

  ForcedState Try(const Suggestion& suggestion, int patience);
  ForcedState Try(const FixedMatches& fixed, const ForcedRun::Abandon& abandon);
  // Results that found a match besides the one suggested.
  int GainOf(const ForcedState& trial, const Suggestion& suggestion) const;
  // Whether a result would merely take another's place: find the match that one has, or leave its
  // own to nobody. That proves nothing: part of a factor does so that the other side has as a
  // whole.
  bool MovesAny(const ForcedState& trial) const;

  // Whether little but its bits speaks for a result's match, where class c might be right.
  bool IsWeak(int r, int c) const;
  // Whether a result has a match that is another's, while nothing is matched with class c.
  bool IsMistaken(const ForcedState& trial, int r, int c) const;
  // Whether a right result is matched with a class.
  bool IsTaken(int c) const { return claims_.of(c) > 0; }
  // Whether another result of the same operator has a result's match as well.
  bool IsClaimedTwice(int r) const;
  int CopiedBy(int r) const { return run_.CopiedBy(state(), r); }
  // Whether all that a result is made of is sure of its match: no other can be at the root of it.
  bool StartsRegion(int r) const;
  // It is a constant, or made of nothing else. Such have no partner where a side has other
  // constants, and that keeps nothing after them from being the first that is wrong.
  bool IsOfConstants(int r) const { return of_constants_[Index(r)]; }

 private:
  static bool IsMistaken(const ForcedState& state, const Claims& claims, int r, int c) {
    return claims.IsContested(state.at(r).match) && claims.of(c) == 0;
  }

  const ForcedRun& run_;
  const Suggester& suggester_;
  const RepairLimits limits_;
  const std::vector<bool> of_constants_;  // by right result
  const int64_t most_runs_;
  Repaired repaired_;
  int64_t repeated_runs_ = 0;  // of nodes in trials that were made again
  Claims claims_;              // of the state
  std::vector<Suggestion> pairs_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_REPAIRS_H_
