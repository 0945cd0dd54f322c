// Compares which branches the Ifs of both sides take.
#ifndef ONNXCMP_COMPARE_CAUSES_BRANCHES_H_
#define ONNXCMP_COMPARE_CAUSES_BRANCHES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"

namespace onnxcmp {

struct BranchFindings {
  // The condition, if the sides come to different ones, or the node, if its branches are exchanged.
  std::optional<Cause> cause;
  bool explains_all = false;  // the right's other branch gives the left's result
  // The right's branch to compare with the one that the left takes; "": the branch of the same
  // name.
  std::string right_branch;
};

// Compares two nodes on the values of the forced run. Finds nothing unless both are Ifs.
absl::StatusOr<BranchFindings> CompareBranches(const ForcedRun& run, const ForcedState& state,
                                               int left_node, int right_node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BRANCHES_H_
