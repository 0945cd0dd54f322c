#include "compare/causes/searched_values.h"

#include <memory>

#include "compare/sides/value_store.h"
#include "evaluator/base/status_macros.h"

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
  if (left.store != nullptr) left.store->EndSearch();
  OC_RETURN_IF_ERROR(
      VisitAgain(left, "left again", watch, wanted, [&](int result, const Value& value) {
        values[Index(result)] = graph.FromModel(result, value);
        return absl::OkStatus();
      }));
  return values;
}

std::vector<Value> PlainValues(const RecordedSide& right, const SideGraph& graph) {
  std::vector<Value> values(right.stream->results.size());
  if (right.store == nullptr || !right.store->serves_search()) return values;
  for (const int r : graph.results()) {
    const Value* kept = graph.IsComputed(r) ? right.Find(r) : nullptr;
    if (kept != nullptr) values[Index(r)] = graph.FromModel(r, *kept);
  }
  right.store->EndSearch();
  return values;
}

}  // namespace onnxcmp
