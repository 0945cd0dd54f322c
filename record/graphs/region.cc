#include "record/graphs/region.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "record/graphs/replay.h"

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

namespace {

class RegionReplay : public HoldingReplay {
 public:
  RegionReplay(const SideGraph& graph, const Region& region, int result,
               absl::FunctionRef<Value(int)> given,
               absl::FunctionRef<Value(int, const Value&)> made)
      : HoldingReplay(graph, region.nodes, {result}),
        entries_(region.entries.begin(), region.entries.end()),
        given_(given),
        made_(made) {}

 private:
  bool IsGiven(int r) const override { return entries_.contains(r); }
  Value Given(int r) override { return given_(r); }
  Value Made(int r, const Value& own) override { return made_(r, own); }

  const absl::flat_hash_set<int> entries_;
  absl::FunctionRef<Value(int)> given_;
  absl::FunctionRef<Value(int, const Value&)> made_;
};

}  // namespace

Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<const Value&(int)> entry) {
  return RunRegion(
      graph, region, result, [&](int r) { return entry(r); },
      [](int, const Value& value) { return value; });
}

Value RunRegion(const SideGraph& graph, const Region& region, int result,
                absl::FunctionRef<Value(int)> given,
                absl::FunctionRef<Value(int, const Value&)> made) {
  RegionReplay replay(graph, region, result, given, made);
  return replay.Run() ? replay.ValueOf(result) : Value();
}

}  // namespace onnxcmp
