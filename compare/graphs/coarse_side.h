// Sides that compute in types of 16 bits as a whole.
#ifndef ONNXCMP_COMPARE_GRAPHS_COARSE_SIDE_H_
#define ONNXCMP_COMPARE_GRAPHS_COARSE_SIDE_H_

#include "compare/graphs/side_graph.h"

namespace onnxcmp {

// Whether a model was converted to 16 bits as a whole: half of what it computes of floats has such
// a type, or all float inputs are cast to one at once and all float outputs come from one. What is
// left in a wider type there, because converters leave it alone, reads and gives what is rounded.
bool ComputesInSixteenBits(const SideGraph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_GRAPHS_COARSE_SIDE_H_
