// The values that a search for causes starts from.
#ifndef ONNXCMP_COMPARE_CAUSES_SEARCHED_VALUES_H_
#define ONNXCMP_COMPARE_CAUSES_SEARCHED_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// By result of the left's main graph, in the graph's form: values that were kept, and the rest from
// another run.
absl::StatusOr<std::vector<Value>> AllValues(const RecordedSide& left, const SideGraph& graph,
                                             const PairValues::Watch& watch);

// By result of the right's main graph: the values of the plain run, as far as they were kept.
std::vector<Value> PlainValues(const RecordedSide& right, const SideGraph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_SEARCHED_VALUES_H_
