// The smallest set found by trying.
#ifndef ONNXCMP_COMPARE_IN_FLOAT_SMALLEST_SET_H_
#define ONNXCMP_COMPARE_IN_FLOAT_SMALLEST_SET_H_

#include <vector>

#include "absl/functional/function_ref.h"

namespace onnxcmp {

struct SmallestSet {
  std::vector<int> members;  // empty: not even all of them are enough
  bool cut_short = false;    // `may_go_on` ended the search: some may not be needed
};

// `ordered`: what may be in the set, the most promising first. `enough` tries a set; the search
// grows the beginning of the list until it is enough, and then leaves out whatever it is enough
// without. `may_go_on` is asked before each trial but the first, of all of them.
SmallestSet FindSmallestSet(const std::vector<int>& ordered,
                            absl::FunctionRef<bool(const std::vector<int>&)> enough,
                            absl::FunctionRef<bool()> may_go_on);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_FLOAT_SMALLEST_SET_H_
