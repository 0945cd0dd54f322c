// The search for a small set of items that still has a property.
#ifndef ONNXCMP_TOOLS_REDUCE_SUBSET_SEARCH_H_
#define ONNXCMP_TOOLS_REDUCE_SUBSET_SEARCH_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnxcmp {

// Items are numbers from 0; sets are ascending.
struct SubsetQuestions {
  using Set = std::vector<int>;
  // True if the set has the property.
  std::function<absl::StatusOr<bool>(const Set&)> holds;
  // `rest` in the order in which items are likely to be needed beside those that are: `needed` is
  // in the order in which that was found. Null: as they are.
  std::function<std::vector<int>(const std::vector<int>& needed, const Set& rest)> order;
  // Sets that may be asked for next, the first of them for sure; to try them at the same time.
  // Null: none are tried ahead.
  std::function<absl::Status(const std::vector<Set>&)> ahead;
  int ahead_count = 1;  // how many of them are of use
  // True if the empty set may have it: then that is asked first.
  bool empty_may_hold = false;
};

// A set from which no item can be left out, if more items never take the property away; else one
// that has it. All items together have it. An item that turns out to be needed costs the logarithm
// of the number of items that were looked at before it, and two questions.
absl::StatusOr<std::vector<int>> SmallSubset(int count, const SubsetQuestions& questions);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_SUBSET_SEARCH_H_
