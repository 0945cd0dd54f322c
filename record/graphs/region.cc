#include "record/graphs/region.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"

namespace onnxcmp {

Region RegionOf(const SideGraph& graph, int result, absl::FunctionRef<bool(int)> is_entry,
                size_t max_nodes) {
  Region region;
  absl::flat_hash_set<int> seen;
  std::vector<int> open = {result};
  while (!open.empty() && region.nodes.size() < max_nodes) {
    const int r = open.back();
    open.pop_back();
    const int n = graph.producer(r);
    if (n == kNone || !seen.insert(n).second) continue;
    region.nodes.push_back(n);
    for (const int read : graph.Reads(n)) {
      if (is_entry(read) || !graph.IsComputed(read)) {
        region.entries.push_back(read);
      } else {
        open.push_back(read);
      }
    }
  }
  std::sort(region.nodes.begin(), region.nodes.end());
  std::sort(region.entries.begin(), region.entries.end());
  region.entries.erase(std::unique(region.entries.begin(), region.entries.end()),
                       region.entries.end());
  return region;
}

Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<const Value&(int)> entry) {
  return RunRegion(
      graph, region, result, [&](int r) { return entry(r); },
      [](int, const Value& value) { return value; });
}

Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<Value(int)> given,
                absl::FunctionRef<Value(int, const Value&)> made) {
  const absl::flat_hash_set<int> entries(region.entries.begin(), region.entries.end());
  absl::flat_hash_map<int, int> reads;  // remaining reads of each value
  for (const int n : region.nodes) {
    for (const int read : graph.Reads(n)) ++reads[read];
  }
  absl::node_hash_map<int, Value> values;  // those still to be read
  for (const int n : region.nodes) {
    const std::vector<int> inputs = graph.Reads(n);
    for (const int read : inputs) {
      if (values.contains(read)) continue;
      if (!entries.contains(read)) return Value();
      if (values.emplace(read, given(read)).first->second.empty()) return Value();
    }
    const absl::StatusOr<std::vector<Value>> outputs =
        graph.Run(n, [&](int r) -> const Value& { return values.find(r)->second; });
    if (!outputs.ok()) return Value();
    for (const int read : inputs) {
      if (--reads[read] == 0) values.erase(read);
    }
    const FewResults& names = graph.node(n).made->outputs;
    for (size_t i = 0; i < names.size() && i < outputs->size(); ++i) {
      const int r = names[i];
      if (r == kNone || entries.contains(r) || !(r == result || reads.contains(r))) continue;
      values.emplace(r, made(r, (*outputs)[i]));
    }
  }
  const auto it = values.find(result);
  return it == values.end() ? Value() : it->second;
}

}  // namespace onnxcmp
