// Finds the smallest sufficient set by trial.
#ifndef ONNXCMP_COMPARE_IN_FLOAT_SMALLEST_SET_H_
#define ONNXCMP_COMPARE_IN_FLOAT_SMALLEST_SET_H_

#include <vector>

#include "absl/functional/function_ref.h"

namespace onnxcmp {

struct SmallestSet {
  std::vector<int> members;  // empty: not even all of them suffice
  bool cut_short = false;    // `may_go_on` ended the search: some may not be needed
};

// `ordered`: candidates, the most promising first. `enough` tests a set; the search grows a prefix
// of the list until it suffices, and then leaves out all that is not needed. `may_go_on` is asked
// before each trial but the first, which tests all of them.
SmallestSet FindSmallestSet(const std::vector<int>& ordered,
                            absl::FunctionRef<bool(const std::vector<int>&)> enough,
                            absl::FunctionRef<bool()> may_go_on);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_FLOAT_SMALLEST_SET_H_
