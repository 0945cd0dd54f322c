// Partners by name, for a model that was converted to a coarser type or quantized.
#ifndef ONNXCMP_RECORD_GRAPHS_NAMED_PARTNERS_H_
#define ONNXCMP_RECORD_GRAPHS_NAMED_PARTNERS_H_

#include <vector>

#include "record/graphs/side_graph.h"

namespace onnxcmp {

// By right result: the computed left result of the same name, or that of the input of a Cast that
// only the right has; kNone if there is none. Empty unless nearly all names agree and most floats
// have another type, or only one side is quantized and most names agree: distance misleads in
// coarse types, and names are better evidence.
std::vector<int> NamedPartners(const SideGraph& left, const SideGraph& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_NAMED_PARTNERS_H_
