// The repairs so far, and trials of one more.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIRS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIRS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/causes/forced/forced_run.h"
#include "compare/causes/repair/claims.h"
#include "compare/causes/repair/constant_suggestions.h"
#include "compare/causes/repair/repair.h"
#include "compare/causes/repair/repair_limits.h"
#include "compare/causes/repair/repair_suggestions.h"

namespace onnxcmp {

class Repairs {
 public:
  // All must outlive the object.
  Repairs(const ForcedRun& run, const Suggester& suggester, const RepairLimits& limits);

  const ForcedRun& run() const { return run_; }
  const Suggester& suggester() const { return suggester_; }
  const RepairLimits& limits() const { return limits_; }
  const ForcedState& state() const { return repaired_.state; }
  // Pairs that were confirmed, or taken as a fallback; a later one may have replaced them.
  const std::vector<Suggestion>& pairs() const { return pairs_; }
  Repaired& repaired() { return repaired_; }

  void Adopt(ForcedState state);
  void Adopt(ForcedState state, const Suggestion& pair);
  // Adds one of several pairs of the state that were confirmed together.
  void AddPair(const Suggestion& pair) { pairs_.push_back(pair); }
  void Note(std::string limit) { repaired_.limits.insert(std::move(limit)); }

  // True if all trials together have used up their limit of runs.
  bool RanLong();
  bool TriedEnough();
  // Counts a trial that is repeated with more patience only once.
  void CountOnce(int64_t runs);

  ForcedState Try(const Suggestion& suggestion, int patience);
  ForcedState Try(const FixedMatches& fixed, const ForcedRun::Abandon& abandon);
  // Number of results that found a match besides the suggested one.
  int GainOf(const ForcedState& trial, const Suggestion& suggestion) const;
  // True if the trial only moves a match from one result to another, as a split constant does; that
  // proves nothing.
  bool MovesAny(const ForcedState& trial) const;

  // True if little more than its bits supports a result's match, while class c might be right.
  bool IsWeak(int r, int c) const;
  // True if r holds a match that belongs to another result, while no result is matched with class
  // c.
  bool IsMistaken(const ForcedState& trial, int r, int c) const;
  // True if a right result is matched with a class.
  bool IsTaken(int c) const { return claims_.of(c) > 0; }
  // True if another result of the same operator has the same match.
  bool IsClaimedTwice(int r) const;
  int CopiedBy(int r) const { return run_.CopiedBy(state(), r); }
  // True if the matches of all its inputs are certain: then none of them is the root of its fault.
  bool StartsRegion(int r) const;
  // True for constants and results of constants alone. These have no partner if a side has other
  // constants, and still a result after them can be the first wrong one.
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
  int64_t repeated_runs_ = 0;  // node runs of trials that were repeated
  Claims claims_;              // those of the state
  std::vector<Suggestion> pairs_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIRS_H_
