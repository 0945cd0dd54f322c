// Groups of nodes that runtimes compute as one operator: plain data.
#ifndef ONNXCMP_COMPARE_BLOCKS_BLOCK_H_
#define ONNXCMP_COMPARE_BLOCKS_BLOCK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/blocks/forms/block_family.h"

namespace onnxcmp {

// What keeps a runtime from fusing a block.
enum class ObstacleKind : uint8_t {
  kQuantization,  // QuantizeLinear, DequantizeLinear or both, or an operator that rounds its result
  kCast,
  kReshape,    // Reshape, Squeeze, Unsqueeze, Flatten
  kTranspose,  //
  kIdentity,   // Identity, Dropout
  kReader,     // a node outside reads a result inside
  kOutput,     // a result inside is an output of the graph
};
absl::string_view ObstacleKindName(ObstacleKind kind);  // "Q/DQ", "Cast", "second reader", ...

struct BlockObstacle {
  ObstacleKind kind = ObstacleKind::kReader;
  // What stands in the way, by name; of kOutput none, of kReader those that read.
  std::vector<std::string> nodes;
  std::string result;          // what enters it, or is read
  std::string after;           // the block's node that makes that result
  std::string before;          // the block's node after it; "": there is none
  std::string quantized;       // of kQuantization: the integers
  std::optional<double> sqnr;  // of kQuantization: own error in dB, given the other side's values
  std::optional<double> cost;  // and how far it moves the other side's outputs, of their size
};

struct Block {
  BlockFamily family = BlockFamily::kAttention;
  std::string form;  // "Gelu (erf)", "MatMul + bias + Relu"
  std::string path;  // of a subgraph: "if_2[then_branch]"; "" in the main graph
  // Nodes in order, by name (NodeLabel). One: an operator that is the whole block.
  std::vector<std::string> nodes;
  std::vector<std::string> op_types;  // as many
  std::vector<std::string> inputs;    // results that it reads, constants left out, each once
  std::vector<std::string> results;   // the block's own, what it gives last; first the earliest
  // The same as what it gives, laid out, rounded or cast by nodes after it.
  std::vector<std::string> copies;
  std::vector<BlockObstacle> obstacles;

  bool whole() const { return obstacles.empty(); }
  const std::string& output() const { return results.back(); }
};

// Blocks of two sides that stand for one another; kNone where a side has none.
struct BlockPair {
  int left = -1;
  int right = -1;
  // Of a block without a counterpart: some of its nodes are in other blocks, which have one.
  bool elsewhere = false;
};

struct BlockReport {
  std::vector<Block> left, right;  // in the order of their last nodes
  std::vector<BlockPair> pairs;    // in the left's order; those of the right alone after
  // Nodes that a quantizer has to leave alone so that blocks become whole that Q/DQ breaks on one
  // side only: what it takes as nodes_to_exclude.
  std::vector<std::string> nodes_to_exclude;
  // Those for the blocks of one family alone, of each that has some.
  std::vector<std::pair<BlockFamily, std::vector<std::string>>> exclude_by_family;
  std::vector<std::string> notes;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_BLOCKS_BLOCK_H_
