#include "compare/causes/failed_runs.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {
namespace {

// By result of a side that failed: true if the first node without results depends on it.
std::vector<bool> LeadsToFailure(const RecordedSide& side) {
  const ResultStream& stream = *side.stream;
  std::vector<bool> leads(stream.results.size());
  const SideGraph graph(stream, side.evaluator());
  absl::flat_hash_map<absl::string_view, int> by_name;
  for (const int r : graph.results()) by_name[graph.result(r).name] = r;
  for (const Node& node : side.evaluator()->model().graph.nodes) {
    const auto is_there = [&](const std::string& name) {
      return name.empty() || by_name.contains(name);
    };
    if (absl::c_all_of(node.outputs, is_there)) continue;
    std::vector<int> read;
    for (const std::string& input : node.inputs) {
      if (const auto it = by_name.find(input); it != by_name.end()) read.push_back(it->second);
    }
    const auto add = [&](int r) {
      leads[Index(r)] = true;
      return true;
    };
    absl::c_for_each(read, add);
    graph.ReachBefore(read, add);
    break;
  }
  return leads;
}

}  // namespace

CauseReview ReviewByFailures(const PerSide<RecordedSide>& sides) {
  PerSide<std::optional<std::vector<bool>>> leads;
  for (const SideId id : kBothSides) {
    const RecordedSide& side = sides[id];
    if (side.side->summary().status.ok() || side.evaluator() == nullptr) continue;
    leads[id] = LeadsToFailure(side);
  }
  return [leads = std::move(leads)](const Cause& cause) -> std::optional<Veto> {
    for (const SideId id : kBothSides) {
      const int r = OfSide(cause, id);
      if (leads[id].has_value() && (r == kNone || !(*leads[id])[Index(r)])) {
        return Veto::kBesideFailure;
      }
    }
    return std::nullopt;
  };
}

}  // namespace onnxcmp
