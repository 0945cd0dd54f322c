// Finds the blocks of a graph, whole and broken. docs/blocks.md tells what they are.
#ifndef ONNXCMP_COMPARE_BLOCKS_FIND_BLOCKS_H_
#define ONNXCMP_COMPARE_BLOCKS_FIND_BLOCKS_H_

#include <vector>

#include "compare/blocks/block.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Those of the graph and of the graphs inside its nodes, in the order of their last nodes; what is
// part of a larger block of its family is left out.
std::vector<Block> FindBlocks(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_BLOCKS_FIND_BLOCKS_H_
