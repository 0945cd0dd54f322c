// The search for causes inside a pair of nodes that run graphs: branches, iterations, functions
// that are kept as one node. docs/causes.md tells how.
#ifndef ONNXCMP_COMPARE_CAUSES_BODY_SEARCH_H_
#define ONNXCMP_COMPARE_CAUSES_BODY_SEARCH_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"

namespace onnxcmp {

struct BodyFindings {
  // Each has `in_body`, paths as of this main graph, but where it is the condition of an If; `left`
  // and `right` are kNone until it is known who has the results.
  std::vector<Cause> causes;
  // Nothing inside diverges by itself: rounding adds up from one iteration to the next.
  bool rounding = false;
  std::vector<std::string> notes;  // parts that could not be searched, and why
};

// Two nodes of the same operator that run graphs, and one result of each.
struct NodesWithBodies {
  int left = kNone;
  int right = kNone;
  int left_result = kNone;
  int right_result = kNone;
};
// The nodes with bodies in the regions of a matched right result and its partner; nothing if a
// region has none, or several.
std::optional<NodesWithBodies> NodesAfter(const ForcedRun& run, const ForcedState& state,
                                          const RegionNoise& noise, int right);
// Node pairs where the right node gives a result without a match although all its inputs have one,
// as where a loop ends earlier.
std::vector<NodesWithBodies> UnmatchedNodes(const ForcedRun& run, const ForcedState& state);

// Runs the left's node on its own inputs and each iteration of the right's on the left's. Errors
// mean that the bodies cannot be distinguished, and why.
absl::StatusOr<BodyFindings> SearchBodies(const ForcedRun& run, const ForcedState& state,
                                          const NodesWithBodies& nodes,
                                          const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BODY_SEARCH_H_
