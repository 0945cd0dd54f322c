// Nodes that have graphs of their own over the field: Loop and Scan iteration by iteration, If by
// the branch that runs, or by both.
#ifndef ONNXCMP_PROVE_INNER_GRAPHS_H_
#define ONNXCMP_PROVE_INNER_GRAPHS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field_value.h"

namespace onnxcmp {

// Runs a graph on the values of its inputs; its outer values are added.
using RunsGraph = absl::FunctionRef<absl::StatusOr<std::vector<FieldValue>>(
    const Graph& graph, absl::flat_hash_map<std::string, FieldValue> given)>;

// The outputs of If, Loop or Scan, `numbers` on numbers. Unimplemented: which nodes run depends on
// inputs that vary, and how.
absl::StatusOr<std::vector<FieldValue>> RunInnerGraphs(const PrimeField& field, const Node& node,
                                                       absl::Span<const FieldValue> inputs,
                                                       absl::Span<const Value> numbers,
                                                       RunsGraph run);

// True if a node of the graph, or of graphs and bodies inside it, draws random numbers.
bool DrawNumbers(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_INNER_GRAPHS_H_
