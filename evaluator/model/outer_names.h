// Names of values in graphs that are attributes, and what these read of the graph around them.
#ifndef ONNXCMP_EVALUATOR_MODEL_OUTER_NAMES_H_
#define ONNXCMP_EVALUATOR_MODEL_OUTER_NAMES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// The graphs among a node's attributes.
std::vector<const Graph*> GraphsOf(const Node& node);

// The names that a graph gives to values: inputs, initializers, what its nodes make.
absl::flat_hash_set<std::string> OwnNames(const Graph& graph);
// Adds the names that a graph and the graphs inside it give to values.
void CollectNames(const Graph& graph, absl::flat_hash_set<std::string>* names);

// The names that a graph reads from around it, each once, in the order of their first use.
// `captures` tells those that the graphs of one of its nodes read.
std::vector<std::string> OuterNames(
    const Graph& graph, absl::FunctionRef<std::vector<std::string>(const Node&)> captures);

// The names that the graphs of a node read from around it, each once.
std::vector<std::string> OuterNames(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_MODEL_OUTER_NAMES_H_
