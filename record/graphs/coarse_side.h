// Recognizes sides that compute in 16-bit types as a whole.
#ifndef ONNXCMP_RECORD_GRAPHS_COARSE_SIDE_H_
#define ONNXCMP_RECORD_GRAPHS_COARSE_SIDE_H_

#include "record/graphs/side_graph.h"

namespace onnxcmp {

// True if a model was converted to 16 bits as a whole: half of its computed floats have such a
// type, or all float inputs are cast to one at once and all float outputs come from one. Nodes that
// a converter leaves in a wider type have rounded inputs and results there.
bool ComputesInSixteenBits(const SideGraph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_COARSE_SIDE_H_
