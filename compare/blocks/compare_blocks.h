// The blocks of two models beside one another.
#ifndef ONNXCMP_COMPARE_BLOCKS_COMPARE_BLOCKS_H_
#define ONNXCMP_COMPARE_BLOCKS_COMPARE_BLOCKS_H_

#include <optional>

#include "compare/alignment/alignment.h"
#include "compare/blocks/block.h"
#include "compare/quantization/quantization.h"
#include "compare/streams/result_stream.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// What is compared: the graph of each side, null for a recording, and what its run gave.
struct BlockSide {
  const Graph* graph = nullptr;
  const ResultStream* stream = nullptr;
};

// Pairs the blocks of one family whose results are partners in the alignment; then, of what is
// left, those that have most nodes in common by name. `quantization`: the layers whose accuracy is
// told with what stands in the way; null if they are not known.
BlockReport CompareBlocks(const BlockSide& left, const BlockSide& right, const Alignment& alignment,
                          const QuantizationReport* quantization);

// Whether a pair's block is whole on one side and broken on the other.
bool BrokenOnOneSide(const BlockReport& report, const BlockPair& pair);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_BLOCKS_COMPARE_BLOCKS_H_
