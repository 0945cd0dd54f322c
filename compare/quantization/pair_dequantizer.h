// Dequantizes the values of pairs whose integers have different quantization parameters, so that
// they can be compared.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_PAIR_DEQUANTIZER_H_
#define ONNXCMP_COMPARE_QUANTIZATION_PAIR_DEQUANTIZER_H_

#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/quantization/quant_params.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

class PairDequantizer {
 public:
  // The streams and banks of the recorded sides must outlive the object.
  explicit PairDequantizer(const PerSide<RecordedSide>& sides) : sides_(sides) {}

  // Gets scales and zero points of these pairs that were not kept, by running a side again. `watch`
  // is told "left again" and "right again".
  absl::Status Fetch(absl::Span<const ResultPair> pairs, const PairValues::Watch& watch);

  // Makes two values of results of the left and of the right comparable. Integers of the same scale
  // and zero point are returned as they are, others dequantized; all in their common forms.
  // Requires Fetch() of the pair.
  std::pair<Value, Value> Comparable(const ResultPair& pair, const Value& left, const Value& right);

 private:
  struct OneSide {
    OneSide(const RecordedSide& side, const RecordedSide& other);

    // Null if it is no longer available.
    const Value* ValueOf(int r) const;
    absl::Status Fetch(absl::Span<const int> results, absl::string_view run,
                       const PairValues::Watch& watch);
    std::optional<QuantParamValues> QuantParamsOf(int r, const Value& value) const;

    RecordedSide side;
    RecordedSide other;  // keeps the values that both sides share
    SideGraph graph;
    QuantParamsByResult all_params;
    absl::flat_hash_map<Hash128, int> others;  // constants of the other side by their bits
    absl::flat_hash_map<int, Value> fetched;   // by result
  };

  bool MayStandForOthers(const ResultPair& pair) const;

  PerSide<RecordedSide> sides_;
  // Created on first use: most pairs differ in floats.
  PerSide<std::unique_ptr<OneSide>> known_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_PAIR_DEQUANTIZER_H_
