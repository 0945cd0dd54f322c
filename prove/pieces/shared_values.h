// The values of two models that are equal by the way they are computed, and the pairs that remain
// to be shown.
#ifndef ONNXCMP_PROVE_PIECES_SHARED_VALUES_H_
#define ONNXCMP_PROVE_PIECES_SHARED_VALUES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/side.h"
#include "evaluator/model/model.h"
#include "prove/value_trace.h"
#include "record/base/per_side.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A value of a main graph.
struct SharedValue {
  std::string name;      // that of the value that it repeats, if it is a copy; else its own
  int number = kNone;    // values of one number are equal
  bool fixed = false;    // the same for all inputs
  bool rounded = false;  // the sides may have rounded it in other ways
  int node = kNone;      // that makes it; kNone: an input or an initializer
  const StreamResult* seen = nullptr;  // in the run
};

class SharedValues {
 public:
  // Unimplemented for models that need a run as a whole: with subgraphs, random numbers, shapes
  // that depend on values, or functions that jump on numbers that were rounded in other ways. The
  // arguments must outlive the object.
  static absl::StatusOr<SharedValues> Of(const PerSide<Side*>& sides, const Comparison& comparison,
                                         absl::Span<const ProofPair> pairs);

  const Graph& graph(SideId side) const { return *graphs_[side]; }
  const SharedValue& Of(SideId side, const std::string& name) const {
    return values_[side].at(name);
  }
  bool HaveOneShape(const std::string& left, const std::string& right) const;
  // True if the two are equal, provided that all claims hold, and of one type and shape.
  bool AreEqual(const std::string& left, const std::string& right) const;
  // True if both sides have the value.
  bool IsShared(const SharedValue& value) const {
    return counts_.left[Index(value.number)] && counts_.right[Index(value.number)];
  }
  bool IsClaimed(const SharedValue& value) const { return claimed_.contains(value.number); }
  // True for a constant of which another one has the same elements in another order or shape: what
  // reads it may be the same only for these numbers.
  bool IsMoved(const SharedValue& value) const {
    return elements_.at(value.seen->fingerprint.elements) == kNone;
  }
  // True if each side has tables of floats that the other does not have: one may be folded layers
  // of the other.
  bool HasOwnTables() const;
  // Pairs, left and right, that have one number without being computed alike.
  absl::Span<const std::pair<std::string, std::string>> claims() const { return claims_; }

 private:
  class Reader;

  PerSide<const Graph*> graphs_ = {nullptr, nullptr};
  PerSide<absl::flat_hash_map<std::string, SharedValue>> values_;
  PerSide<std::vector<bool>> counts_;  // by number: the side has it
  // The numbers of constants by their elements; kNone: there are several.
  absl::flat_hash_map<Hash128, int> elements_;
  std::vector<std::pair<std::string, std::string>> claims_;
  absl::flat_hash_set<int> claimed_;  // numbers
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_PIECES_SHARED_VALUES_H_
