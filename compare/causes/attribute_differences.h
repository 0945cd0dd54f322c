// Differences between two nodes in their attributes and in the versions of their operators.
#ifndef ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_
#define ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "compare/causes/forced/forced_run.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// One text for each attribute that differs: "attribute epsilon: 1e-05 | 0.01". A default counts as
// if it were given, a tensor as the list of its numbers, and an input that took an attribute's
// place in another version as the attribute: "attribute max | input high: 1 | 2". For two different
// operators, only attributes that both have are compared. Both nodes must be known.
std::vector<std::string> AttributeDifferences(const ForcedRun& run, const ForcedState& state,
                                              int left_node, int right_node);

// The same for an operator that an optimizer has fused into the node before, as its activation:
// "attribute alpha | activation_params[0]: 0.3 | 0.01". Either node may be the fused one; empty if
// neither is, or if its activation is another.
std::vector<std::string> FusedActivationDifferences(const SideGraph& left_graph,
                                                    const SideGraph::GraphNode& left,
                                                    const SideGraph& right_graph,
                                                    const SideGraph::GraphNode& right);

// True if a node has an attribute where another version of its operator, that of the other node,
// has the input of a slot.
bool HasAttributeForInput(const SideGraph& graph, const SideGraph::GraphNode& node,
                          const SideGraph& other_graph, const SideGraph::GraphNode& other,
                          size_t slot);

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
