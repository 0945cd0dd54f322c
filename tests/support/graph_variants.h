// Pairs of result streams with known truth: a random model of attention, normalization and plain
// layers, and what exporters, optimizers and quantizers make of it. Nothing is computed: every
// quantity of the model gets random values of its own, so two results are the same quantity exactly
// if they were derived from the same one.
#ifndef ONNXCMP_TESTS_SUPPORT_GRAPH_VARIANTS_H_
#define ONNXCMP_TESTS_SUPPORT_GRAPH_VARIANTS_H_

#include <cstdint>
#include <vector>

#include "record/streams/result_stream.h"

namespace onnxcmp::testing {

struct VariantOptions {
  uint64_t seed = 0;
  int layers = 4;
  // Elements along the last axis: small tensors crowd.
  int64_t width = 8;
  int64_t rows = 6;
  double crowding = 0;  // if not 0: how far quantities of one shape are from each other, relatively
  // Changes to the right side.
  bool rename = false;              // every name another one
  bool reorder = false;             // another topological order, initializers shuffled
  double no_ops = 0;                // share of edges that get an Identity or a pair of Reshapes
  bool fold = false;                // nodes of initializers alone become initializers
  bool deduplicate = false;         // equal initializers become one
  double fuse = 0;                  // share of nodes that become part of the one that uses them
  double noise = 0;                 // relative, of every result that a node computes
  bool noise_after_fusion = false;  // only what depends on a fused node is noisy
  int extra_initializers = 0;       // unused ones, at the front
  bool drop_nodes = false;          // a recording: results without nodes
  double missing = 0;               // share of the results that a recording lacks
  bool faulty = false;              // one node goes wrong, and everything after it
  double truncated = 0;             // share of the nodes at the end that did not run
};

struct StreamPair {
  ResultStream left;
  ResultStream right;
  // By result: which quantity it is. Copies are the quantity that they copy.
  std::vector<int> left_quantity;
  std::vector<int> right_quantity;
};

StreamPair MakeVariant(const VariantOptions& options);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_GRAPH_VARIANTS_H_
