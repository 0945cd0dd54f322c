#include "compare/recorded/partners.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/result.h"

namespace onnxcmp {

std::vector<int> PartnersOfRecorded(const Alignment& alignment, absl::Span<const AddedPair> added,
                                    SideId recorded) {
  std::vector<int> partners = alignment.partners(recorded);
  for (const AddedPair& pair : added) {
    if (pair.shared == recorded) continue;
    partners[Index(OfSide(pair, recorded))] = OfSide(pair, Other(recorded));
  }
  return partners;
}

absl::flat_hash_set<int> RecordedWithMark(const Alignment& alignment, SideId recorded,
                                          std::initializer_list<Mark> marks) {
  absl::flat_hash_set<int> results;
  for (const AlignedRow& row : alignment.rows) {
    const bool has = std::any_of(marks.begin(), marks.end(),
                                 [&](const Mark mark) { return Has(row.marks, mark); });
    if (has && row.paired()) results.insert(OfSide(row, recorded).back());
  }
  return results;
}

absl::StatusOr<PerSide<ValuesOfResults>> ValuesAgain(const PerSide<RecordedSide>& sides,
                                                     const PerSide<std::vector<int>>& numbers,
                                                     const PairValues::Watch& watch) {
  PerSide<ValuesOfResults> values;
  for (const SideId id : kBothSides) {
    std::vector<bool> wanted(sides[id].stream->results.size());
    for (const int number : numbers[id]) wanted[Index(number)] = true;
    OC_RETURN_IF_ERROR(VisitAgain(sides[id], absl::StrCat(SideName(id), " again"), watch, wanted,
                                  [&](int number, const Value& value) {
                                    values[id][number] = value;
                                    return absl::OkStatus();
                                  }));
  }
  return values;
}

}  // namespace onnxcmp
