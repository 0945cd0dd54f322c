// Partners by name, where a model was converted to a coarser type or quantized.
#ifndef ONNXCMP_COMPARE_GRAPHS_NAMED_PARTNERS_H_
#define ONNXCMP_COMPARE_GRAPHS_NAMED_PARTNERS_H_

#include <vector>

#include "compare/graphs/side_graph.h"

namespace onnxcmp {

// By right result: the computed left result of the same name, or what a Cast that is only right
// reads; kNone if there is none. Empty unless nearly all names agree and most floats have another
// type, or one side alone is quantized and most names agree: what coarse types have near is often
// something else, and then names tell more.
std::vector<int> NamedPartners(const SideGraph& left, const SideGraph& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_GRAPHS_NAMED_PARTNERS_H_
