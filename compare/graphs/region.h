// The part of a side that makes one result from what is matched.
#ifndef ONNXCMP_COMPARE_GRAPHS_REGION_H_
#define ONNXCMP_COMPARE_GRAPHS_REGION_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/graphs/side_graph.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The nodes that make a result from what is matched, in order.
struct Region {
  std::vector<int> nodes;
  std::vector<int> entries;  // results they start from, constants too
};

// What is run several times is no longer than this; longer ones are cut short.
inline constexpr size_t kMaxRegionNodes = 64;

// Walks back from a result through the nodes that make it, to entries and to what is not computed.
Region RegionOf(const SideGraph& graph, int result, absl::FunctionRef<bool(int)> is_entry,
                size_t max_nodes = kMaxRegionNodes);

// What a region gives for values of its entries; empty if it cannot be computed: a value is
// missing, a node fails, the region was cut short.
Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<const Value&(int)> entry);
// `given` is what an entry is, asked for when it is read first, `made` what is made of what a node
// gives for one of its outputs. No value is held for longer than it is read.
Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<Value(int)> given,
                absl::FunctionRef<Value(int, const Value&)> made);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_GRAPHS_REGION_H_
