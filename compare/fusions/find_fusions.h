// Finds the fusions of a graph, whole and broken. docs/fusions.md describes them.
#ifndef ONNXCMP_COMPARE_FUSIONS_FIND_FUSIONS_H_
#define ONNXCMP_COMPARE_FUSIONS_FIND_FUSIONS_H_

#include <vector>

#include "compare/fusions/fusion.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// The fusions of the graph and of its nodes' subgraphs, in the order of their last nodes; parts of
// a larger fusion of the same family are left out.
std::vector<Fusion> FindFusions(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_FIND_FUSIONS_H_
