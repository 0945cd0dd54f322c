// The values of pairs as they are to be compared where their integers stand for other numbers.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_STOOD_FOR_H_
#define ONNXCMP_COMPARE_QUANTIZATION_STOOD_FOR_H_

#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/graphs/side_graph.h"
#include "compare/pair/per_side.h"
#include "compare/quantization/grids.h"
#include "compare/sides/pair_values.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/hash128.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class StoodFor {
 public:
  // Of two sides that have been recorded; their streams and banks must outlive the object.
  explicit StoodFor(const PerSide<RecordedSide>& sides) : sides_(sides) {}

  // Gets the scales and zero points of these pairs that were not kept, by running a side again.
  // `watch` is told "left again" and "right again".
  absl::Status Fetch(absl::Span<const ResultPair> pairs, const PairValues::Watch& watch);

  // Two values of results of the left and of the right. Integers of one scale and zero point are
  // handed back as they are, those of other scales or zero points as the floats that they stand
  // for; all in their common forms. Requires Fetch() of the pair.
  std::pair<Value, Value> Comparable(const ResultPair& pair, const Value& left, const Value& right);

 private:
  struct OneSide {
    OneSide(const RecordedSide& side, const RecordedSide& other);

    // Null if it is known no more.
    const Value* ValueOf(int r) const;
    absl::Status Fetch(absl::Span<const int> results, absl::string_view run,
                       const PairValues::Watch& watch);
    std::optional<GridValues> GridOf(int r, const Value& value) const;

    RecordedSide side;
    RecordedSide other;  // keeps what both have
    SideGraph graph;
    Grids grids;
    absl::flat_hash_map<Hash128, int> others;  // constants of the other side by their bits
    absl::flat_hash_map<int, Value> fetched;   // by result
  };

  bool MayStandForOthers(const ResultPair& pair) const;

  PerSide<RecordedSide> sides_;
  // Made at the first need: most pairs differ in floats.
  PerSide<std::unique_ptr<OneSide>> known_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_STOOD_FOR_H_
