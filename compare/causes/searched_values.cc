#include "compare/causes/searched_values.h"

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/evaluator.h"

namespace onnxcmp {

absl::StatusOr<std::vector<Value>> AllValues(const RecordedSide& left, const SideGraph& graph,
                                             const PairValues::Watch& watch) {
  std::vector<Value> values(left.stream->results.size());
  std::vector<bool> wanted(values.size());
  for (const int r : graph.results()) {
    if (const Value* kept = left.Find(r); kept != nullptr) {
      values[Index(r)] = graph.FromModel(r, *kept);
    } else {
      wanted[Index(r)] = true;
    }
  }
  // The search owns them from here on and releases those that it does not need.
  if (left.again != nullptr) left.again->Clear();
  OC_RETURN_IF_ERROR(
      VisitAgain(left, "left again", watch, wanted, [&](int result, const Value& value) {
        values[Index(result)] = graph.FromModel(result, value);
        return absl::OkStatus();
      }));
  return values;
}

std::vector<Value> PlainValues(const RecordedSide& right, const SideGraph& graph) {
  std::vector<Value> values(right.stream->results.size());
  if (right.again == nullptr) return values;
  for (const int r : graph.results()) {
    const Value* kept = graph.IsComputed(r) ? right.Find(r) : nullptr;
    if (kept != nullptr) values[Index(r)] = graph.FromModel(r, *kept);
  }
  right.again->Clear();
  return values;
}

std::vector<Value> LeavesOf(const RecordedSide& right, const SideGraph& graph) {
  std::vector<Value> leaves(right.stream->results.size());
  absl::flat_hash_map<absl::string_view, const Value*> initializers;
  for (const Initializer& initializer : right.side->evaluator()->model().graph.initializers) {
    initializers[initializer.name] = &initializer.value;
  }
  for (const int r : graph.results()) {
    if (graph.producer(r) != kNone) continue;
    const StreamResult& result = graph.result(r);
    if (result.kind == ResultKind::kInitializer) {
      const auto it = initializers.find(result.name);
      if (it != initializers.end()) leaves[Index(r)] = graph.FromModel(r, *it->second);
    } else if (const auto it = right.side->feeds()->find(result.name);
               it != right.side->feeds()->end()) {
      leaves[Index(r)] = graph.FromModel(r, it->second);
    }
  }
  return leaves;
}

}  // namespace onnxcmp
