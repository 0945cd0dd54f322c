// Which branch of an If both sides take.
#ifndef ONNXCMP_COMPARE_CAUSES_BRANCHES_H_
#define ONNXCMP_COMPARE_CAUSES_BRANCHES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "compare/causes/cause.h"
#include "compare/forced/forced_run.h"

namespace onnxcmp {

struct BranchFindings {
  // The condition, if the sides come to different ones, or the node, if its branches are exchanged.
  std::optional<Cause> cause;
  bool explains_all = false;  // the right's other branch gives what the left has
  // Of the right, the one to hold against what the left takes; "": the one of the same name.
  std::string right_branch;
};

// Of two nodes on what the forced run holds. Nothing is found of nodes that are no If.
absl::StatusOr<BranchFindings> CompareBranches(const ForcedRun& run, const ForcedState& state,
                                               int left_node, int right_node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BRANCHES_H_
