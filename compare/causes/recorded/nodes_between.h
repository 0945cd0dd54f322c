// The nodes between two recorded results, in words.
#ifndef ONNXCMP_COMPARE_CAUSES_RECORDED_NODES_BETWEEN_H_
#define ONNXCMP_COMPARE_CAUSES_RECORDED_NODES_BETWEEN_H_

#include <string>

#include "record/graphs/region.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// "Add s, Relu r" if there are several: one of them is at fault.
std::string NodesOf(const SideGraph& graph, const Region& region);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_RECORDED_NODES_BETWEEN_H_
