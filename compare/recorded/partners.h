// The partners of recorded results beside a model, and the values of both, for searches among
// results that have none.
#ifndef ONNXCMP_COMPARE_RECORDED_PARTNERS_H_
#define ONNXCMP_COMPARE_RECORDED_PARTNERS_H_

#include <initializer_list>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// By recorded result: the model's result, kNone if there is none. `added`: pairs besides the
// alignment's.
std::vector<int> PartnersOfRecorded(const Alignment& alignment, absl::Span<const AddedPair> added,
                                    SideId recorded);

// Recorded results of paired rows with one of these marks: they stay where they are.
absl::flat_hash_set<int> RecordedWithMark(const Alignment& alignment, SideId recorded,
                                          std::initializer_list<Mark> marks);

// By number.
using ValuesOfResults = absl::flat_hash_map<int, Value>;
// Reads the recording and runs the model for results of these numbers.
absl::StatusOr<PerSide<ValuesOfResults>> ValuesAgain(const PerSide<RecordedSide>& sides,
                                                     const PerSide<std::vector<int>>& numbers,
                                                     const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_PARTNERS_H_
