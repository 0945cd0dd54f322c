// How often and on what a node runs its bodies.
#ifndef ONNXCMP_COMPARE_CAUSES_BODIES_BODY_ITERATIONS_H_
#define ONNXCMP_COMPARE_CAUSES_BODIES_BODY_ITERATIONS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/causes/bodies/body_models.h"
#include "compare/graphs/side_graph.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A branch that is taken, an iteration of a loop, a call of a function.
struct Iteration {
  std::string path;   // where its nodes run, as Result::path has it
  std::string label;  // of the path, as "[3]"; "" of a function
  Body body;
  std::vector<Value> inputs;   // of the body's graph in order
  std::vector<Value> outputs;  // the same; empty where the run does not show them
  // The graphs that ran inside it, each once: two iterations that took the same branches are alike.
  std::vector<const Graph*> inner;
};

// Runs a node of the main graph on the values that `value` tells for the results that it reads, and
// shows each iteration when it is over. The visitor returns false if it has seen enough; an error
// ends the run, too. The node of a side without a model is FailedPrecondition.
absl::Status ForEachIteration(
    const SideGraph& graph, int n, absl::FunctionRef<const Value&(int r)> value,
    absl::FunctionRef<absl::StatusOr<bool>(const Iteration& iteration)> visit);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BODIES_BODY_ITERATIONS_H_
