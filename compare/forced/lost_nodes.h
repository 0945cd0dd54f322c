// Where a fault is far from being made up for.
#ifndef ONNXCMP_COMPARE_FORCED_LOST_NODES_H_
#define ONNXCMP_COMPARE_FORCED_LOST_NODES_H_

#include <vector>

#include "compare/graphs/left_classes.h"
#include "compare/graphs/side_graph.h"

namespace onnxcmp {

// By right node: whatever it leads to was far from the left's results in the right's own run, too.
// As long as what such a node reads has no match, running it again will find none. `aligned`: by
// right result, its partner or kNone. `far`: by right result, it is far from its partner; empty if
// that is not known, and then no node is lost.
std::vector<bool> LostNodes(const LeftClasses& left, const SideGraph& right,
                            const std::vector<int>& aligned, const std::vector<bool>& far);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FORCED_LOST_NODES_H_
