// Who has found what: how many results of the right are matched with each of the left's classes.
#ifndef ONNXCMP_COMPARE_REPAIR_CLAIMS_H_
#define ONNXCMP_COMPARE_REPAIR_CLAIMS_H_

#include <vector>

#include "compare/forced/forced_run.h"
#include "compare/graphs/left_classes.h"

namespace onnxcmp {

class Claims {
 public:
  Claims() = default;  // of no class
  // What the run is on must outlive the object; the state need not.
  Claims(const ForcedRun& run, const ForcedState& state);

  int of(int c) const { return counts_[Index(c)]; }
  // Whether as many right results are matched with it as it has members.
  bool IsTaken(int c) const { return of(c) >= Members(c); }
  // Whether more are: the match may be another's. What has gone wrong and is what another result
  // is, or nearly so, finds that one's match. Of kNone: no.
  bool IsContested(int c) const { return c != kNone && of(c) > Members(c); }

 private:
  int Members(int c) const { return static_cast<int>(left_->members(c).size()); }

  const LeftClasses* left_ = nullptr;
  std::vector<int> counts_;  // by class
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_CLAIMS_H_
