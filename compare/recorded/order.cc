#include "compare/recorded/order.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "evaluator/run/result.h"
#include "record/streams/result_names.h"
#include "record/text/natural_order.h"

namespace onnxcmp {

bool AreInOrderOfNames(const ResultStream& recording) {
  std::vector<std::string> names;
  for (const StreamResult& result : recording.results) {
    if (result.kind == ResultKind::kResult) names.push_back(FullName(result));
  }
  return absl::c_is_sorted(names) || absl::c_is_sorted(names, NaturallyLess);
}

Alignment InOrderOfModel(const PerSide<RecordedSide>& sides, Alignment alignment) {
  const bool left_is_recorded = sides.left.stream->recorded;
  if (left_is_recorded == sides.right.stream->recorded) return alignment;
  const SideId own = left_is_recorded ? SideId::kLeft : SideId::kRight;
  std::vector<std::pair<int, int>> pairs;  // the recording's result and the model's
  for (const AlignedRow& row : alignment.rows) {
    if (!row.paired()) continue;
    const int recorded = OfSide(row, own).back();
    const ResultKind kind = sides[own].result(recorded).kind;
    if (kind == ResultKind::kResult) pairs.emplace_back(recorded, OfSide(row, Other(own)).back());
  }
  absl::c_sort(pairs);
  const bool in_another_order =
      !absl::c_is_sorted(pairs, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!in_another_order || !AreInOrderOfNames(*sides[own].stream)) return alignment;
  alignment.reordered = false;
  for (AlignedRow& row : alignment.rows) {
    row.marks = static_cast<Marks>(row.marks & ~static_cast<Marks>(Mark::kMoved));
  }
  if (!left_is_recorded) return alignment;  // rows are in the left's order already
  absl::flat_hash_map<int, int> explained;  // by recorded result: the model's
  for (const DerivedResult& derived : alignment.derived) {
    if (derived.of != kNone) explained[derived.result] = derived.of;
  }
  // The model's result, where the row stands beside that, and the name: a module comes after those
  // in it.
  using Place = std::tuple<int, int, int64_t>;
  std::vector<std::pair<Place, size_t>> places;
  int before = kNone;
  for (size_t i = 0; i < alignment.rows.size(); ++i) {
    const AlignedRow& row = alignment.rows[i];
    const int64_t length =
        row.left.empty() ? 0 : std::ssize(FullName(sides.left.result(row.left.back())));
    Place place = {before, 1, 0};
    if (!row.right.empty()) {
      place = {row.right.back(), 0, -length};
    } else if (const auto it = explained.find(row.left.back()); it != explained.end()) {
      place = {it->second, -1, -length};
    }
    if (!row.left.empty()) before = std::get<0>(place);
    places.emplace_back(place, i);
  }
  absl::c_sort(places);
  std::vector<AlignedRow> ordered;
  ordered.reserve(places.size());
  for (const auto& [place, i] : places) ordered.push_back(std::move(alignment.rows[i]));
  alignment.rows = std::move(ordered);
  return alignment;
}

}  // namespace onnxcmp
