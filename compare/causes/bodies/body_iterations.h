// The iterations of a node's bodies: how many there are, and their inputs and outputs.
#ifndef ONNXCMP_COMPARE_CAUSES_BODIES_BODY_ITERATIONS_H_
#define ONNXCMP_COMPARE_CAUSES_BODIES_BODY_ITERATIONS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/causes/bodies/body_models.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// A branch that is taken, an iteration of a loop, or a call of a function.
struct Iteration {
  std::string path;   // where its nodes run, as Result::path has it
  std::string label;  // the path's label, as "[3]"; "" for a function
  Body body;
  std::vector<Value> inputs;   // inputs of the body's graph, in order
  std::vector<Value> outputs;  // its outputs; empty where the run does not show them
  // The graphs that ran inside it, each once: two iterations that took the same branches are alike.
  std::vector<const Graph*> inner;
};

// Runs a node of the main graph on the values that `value` returns for its inputs, and shows each
// iteration when it is over. The visitor returns false to stop; an error ends the run, too.
// FailedPrecondition if the node's side has no model.
absl::Status ForEachIteration(
    const SideGraph& graph, int n, absl::FunctionRef<const Value&(int r)> value,
    absl::FunctionRef<absl::StatusOr<bool>(const Iteration& iteration)> visit);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BODIES_BODY_ITERATIONS_H_
