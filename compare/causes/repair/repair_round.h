// The trials among which one repair is chosen.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_ROUND_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_ROUND_H_

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compare/causes/forced/forced_run.h"
#include "compare/causes/repair/constant_suggestions.h"
#include "compare/causes/repair/repair_suggestions.h"
#include "compare/causes/repair/repairs.h"

namespace onnxcmp {

class RepairRound {
 public:
  // `refused`: pairs that made the matches fewer in an earlier round. All must outlive the object.
  RepairRound(const Suggester::Standing& standing, std::set<std::pair<int, int>>* refused,
              Repairs* repairs)
      : standing_(standing), refused_(*refused), repairs_(*repairs) {}

  void TryAll(std::vector<Suggestion> suggestions);
  // True if the best explains nearly all, and nothing before it is wrong.
  bool IsEnough() const;
  // True if suggestions for a result may be better than the best, as far as is known.
  bool MayOutdo(int r) const { return !whole_.has_value() || !LiesAfter(r); }
  // True if some suggestion is better than none.
  bool HasBest() const { return best_.has_value() && value_ > -1; }
  // Must be called only once.
  void AdoptBest();

 private:
  // A suggestion that leaves nothing to repair.
  struct Whole {
    Suggestion suggestion;
    std::vector<bool> after;  // by right result: true if it depends on the suggested one
  };

  bool IsReadAtBeginning(int r) const;
  void Order(std::vector<Suggestion>* suggestions) const;
  bool LiesAfter(int r) const;
  bool IsRuledOut(const Suggestion& suggestion) const;
  bool TriedEnough();
  bool IsAnotherLength(const Suggestion& suggestion) const;
  bool Try(const Suggestion& suggestion, int patience);
  void TryAgain(const std::vector<std::pair<Suggestion, int64_t>>& impatient);

  const Suggester::Standing& standing_;
  std::set<std::pair<int, int>>& refused_;
  Repairs& repairs_;
  int tried_ = 0;
  std::optional<Suggestion> best_;
  ForcedState state_;  // with the best
  double value_ = 0;
  int gain_ = 0;
  std::optional<Whole> whole_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_ROUND_H_
