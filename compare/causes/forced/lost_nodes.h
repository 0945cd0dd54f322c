// Finds nodes far behind a fault.
#ifndef ONNXCMP_COMPARE_CAUSES_FORCED_LOST_NODES_H_
#define ONNXCMP_COMPARE_CAUSES_FORCED_LOST_NODES_H_

#include <vector>

#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"

namespace onnxcmp {

// By right node: true if all results after it were far from the left's in the right's own run. As
// long as its inputs have no match, running it again finds none. `aligned`: by right result, its
// partner or kNone. `far`: by right result, true if it is far from its partner; empty if that is
// not known, and then no node is lost.
std::vector<bool> LostNodes(const ValueClasses& left, const SideGraph& right,
                            const std::vector<int>& aligned, const std::vector<bool>& far);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FORCED_LOST_NODES_H_
