// What two nodes are told otherwise: attributes, and versions of their operator.
#ifndef ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_
#define ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_

#include <string>
#include <vector>

#include "compare/forced/forced_run.h"
#include "compare/graphs/side_graph.h"

namespace onnxcmp {

// "attribute epsilon: 1e-05 | 0.01", one for each that is another, a default being as good as
// saying it, and a tensor of the same numbers as good as a list. Of other operators only what both
// have says something. Both nodes must be known.
std::vector<std::string> AttributeDifferences(const SideGraph& left_graph,
                                              const SideGraph::GraphNode& left,
                                              const SideGraph& right_graph,
                                              const SideGraph::GraphNode& right);

// "opset 11 | 13: from 13 on ...", one for each rule of the operator that changed between the two.
std::vector<std::string> VersionDifferences(const SideGraph& left_graph,
                                            const SideGraph::GraphNode& left,
                                            const SideGraph& right_graph,
                                            const SideGraph::GraphNode& right);

// Whether the versions of the operator of two nodes have other inputs, or in other places.
bool HaveOtherInputs(const SideGraph& left_graph, const SideGraph::GraphNode& left,
                     const SideGraph& right_graph, const SideGraph::GraphNode& right);

// Whether a result is made by the same operator as its partner, with other attributes. Movements of
// the last place take a tree, a look-up or a comparison to its other side, and say nothing there.
bool AttributesExplain(const ForcedRun& run, const ForcedState& state, int right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_ATTRIBUTE_DIFFERENCES_H_
