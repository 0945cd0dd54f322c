// Counts how many results of the right are matched with each class of the left.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_CLAIMS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_CLAIMS_H_

#include <vector>

#include "compare/causes/forced/forced_run.h"
#include "record/graphs/value_classes.h"

namespace onnxcmp {

class Claims {
 public:
  Claims() = default;  // has no classes
  // The run must outlive the object; the state need not.
  Claims(const ForcedRun& run, const ForcedState& state);

  int of(int c) const { return counts_[Index(c)]; }
  // True if as many right results are matched with it as it has members.
  bool IsTaken(int c) const { return of(c) >= Members(c); }
  // True if more are: a match may belong to another result. A faulty result that equals another
  // one, or nearly so, takes that one's match. False for kNone.
  bool IsContested(int c) const { return c != kNone && of(c) > Members(c); }

 private:
  int Members(int c) const { return static_cast<int>(left_->members(c).size()); }

  const ValueClasses* left_ = nullptr;
  std::vector<int> counts_;  // by class
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_CLAIMS_H_
