// The part of a side that computes one result from matched results.
#ifndef ONNXCMP_RECORD_GRAPHS_REGION_H_
#define ONNXCMP_RECORD_GRAPHS_REGION_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// The nodes that compute a result from matched results, in order.
struct Region {
  std::vector<int> nodes;
  std::vector<int> entries;  // results they start from, constants too
};

// Limit for regions that run several times; longer ones are cut short.
inline constexpr size_t kMaxRegionNodes = 64;

// Walks back from a result through the nodes that compute it, to entries and results that are not
// computed.
Region RegionOf(const SideGraph& graph, int result, absl::FunctionRef<bool(int)> is_entry,
                size_t max_nodes = kMaxRegionNodes);

// The region's result for values of its entries; empty if it cannot be computed: a value is
// missing, a node fails, or the region was cut short.
Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<const Value&(int)> entry);
// `given` returns the value of an entry when it is first read; `made` may replace an output of a
// node. Values are released after their last use.
Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<Value(int)> given,
                absl::FunctionRef<Value(int, const Value&)> made);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_REGION_H_
