// The order in which a search for inputs goes about it.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_SEARCH_PLAN_H_
#define ONNXCMP_COMPARE_INPUT_SETS_SEARCH_PLAN_H_

#include <cstdint>
#include <vector>

#include "compare/input_sets/set_case.h"
#include "compare/outcome/comparison.h"
#include "feed/coverage/coverage.h"

namespace onnxcmp {

class SearchPlan {
 public:
  // Parts that no set has exercised decide what is tried first.
  explicit SearchPlan(const Coverage& coverage);

  // After the first ones every other case is made of one that came near.
  SetCase Next();
  // True if it is worth knowing how near the last case came: that costs more than the outputs
  // alone.
  bool WantsNearness() const { return given_ % kEvery == 0 || given_ < first_.size(); }
  // How near the results of a case came to differing, outputs and inner ones; what it exercised
  // that no other had counts as near.
  void Told(const SetCase& one, double nearness);

 private:
  static constexpr uint64_t kEvery = 8;
  struct Near {
    SetCase one;
    double nearness = 0;
  };

  std::vector<SetCase> first_;
  std::vector<Near> near_;  // the nearest first
  uint64_t given_ = 0;
};

// How far the results of two sides are apart against what they may be, the farthest: 0 if all have
// the same bits, 1 where one is about to differ. Pairs that make no difference count less.
double NearnessOf(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_SEARCH_PLAN_H_
