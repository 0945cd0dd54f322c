// The search for causes in one iteration: both bodies as two models that are fed the same values.
#ifndef ONNXCMP_COMPARE_CAUSES_ITERATION_SEARCH_H_
#define ONNXCMP_COMPARE_CAUSES_ITERATION_SEARCH_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/causes/bodies/body_iterations.h"
#include "compare/causes/bodies/body_pair.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "evaluator/model/model.h"
#include "record/graphs/side_graph.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct IterationReport {
  std::vector<Cause> causes;  // as BodyFindings has them
  std::vector<std::string> notes;
  bool explained = true;  // false if an outer value that the body reads is not the left's
};

// Names of the two bodies in paths.
struct BodyPlaces {
  const Node& left_node;
  const Node& right_node;
  std::string left_label;  // label of the branch or the iteration, as "[3]"
  std::string right_label;
};

// Runs both bodies on the inputs of the left's iteration. `left` and `right`: the main graphs that
// contain the nodes. Errors are those of the runs.
absl::StatusOr<IterationReport> SearchIteration(const Iteration& iteration,
                                                const BodyPlaces& places, const SideGraph& left,
                                                const SideGraph& right, const CauseOptions& options,
                                                BodyPair* pair);

// "in loop_1[3]: ", which the texts of causes in bodies begin with.
std::string InBodyText(const CauseInBody& place);

// Turns a cause that was found inside a pair of results of the main graph into one of the whole
// streams.
void Locate(std::pair<int, int> around, const ResultStream& left, const ResultStream& right,
            Cause* cause);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_ITERATION_SEARCH_H_
