// Differences between two nodes in their attributes and in the versions of their operators.
#ifndef ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_
#define ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_

#include <string>
#include <vector>

#include "compare/causes/forced/forced_run.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// One text for each attribute that differs: "attribute epsilon: 1e-05 | 0.01". A default counts as
// if it were given, and a tensor as the list of its numbers. For two different operators, only
// attributes that both have are compared. Both nodes must be known.
std::vector<std::string> AttributeDifferences(const SideGraph& left_graph,
                                              const SideGraph::GraphNode& left,
                                              const SideGraph& right_graph,
                                              const SideGraph::GraphNode& right);

// "opset 11 | 13: from 13 on ...", one for each rule of the operator that changed between the two.
std::vector<std::string> VersionDifferences(const SideGraph& left_graph,
                                            const SideGraph::GraphNode& left,
                                            const SideGraph& right_graph,
                                            const SideGraph::GraphNode& right);

// True if the versions of the two nodes' operator have different inputs, or inputs at other places.
bool HaveOtherInputs(const SideGraph& left_graph, const SideGraph::GraphNode& left,
                     const SideGraph& right_graph, const SideGraph::GraphNode& right);

// True if a result is made by the same operator as its partner, with other attributes. Rounding may
// send a tree, a look-up or a comparison the other way, so attributes explain nothing there.
bool AttributesExplain(const ForcedRun& run, const ForcedState& state, int right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_
