// Runs of two models for their outputs alone, in which what both compute alike is computed once.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_SHARED_RUNS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_SHARED_RUNS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "compare/sides/side.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "feed/input_mapping.h"
#include "record/base/per_side.h"
#include "record/streams/fingerprint_cache.h"

namespace onnxcmp {

// A search runs hundreds of cases on two models that differ in a few nodes: the right takes from
// the left what the nodes before these give.
class SharedRuns {
 public:
  // Nodes are alike if their operations are, and what they read: constants by content, inputs by
  // the mapping. The sides must outlive the object. `fingerprints`: of the models' constants.
  SharedRuns(Side& left, Side& right, const InputMapping& mapping, FingerprintCache* fingerprints);

  // The left's outputs on its feeds. Holds what the right needs, up to a limit.
  absl::StatusOr<std::vector<Value>> RunLeft();
  // The right's outputs on its feeds. What the last run of the left gave is used up, and not used
  // if the feeds of both are not the same.
  absl::StatusOr<std::vector<Value>> RunRight();

  // Nodes of all runs of the right that did not have to run.
  int64_t nodes() const { return nodes_; }

 private:
  class Handover;

  bool FeedsAreTheSame() const;
  // True for a pair of runs that shares: the first ones do and do not in turn, until it is known
  // what takes less time. Of many small nodes running them all does.
  bool Shares() const;

  Side& left_;
  Side& right_;
  PerSide<absl::flat_hash_map<const Node*, uint64_t>> numbers_;  // of nodes that both have
  std::vector<std::pair<std::string, std::string>> inputs_;      // that count as the same
  absl::flat_hash_map<uint64_t, std::vector<Value>> held_;       // outputs, by number
  int64_t nodes_ = 0;
  int pairs_ = 0;                                 // of runs
  absl::Duration shared_ = absl::ZeroDuration();  // of the first ones
  absl::Duration whole_ = absl::ZeroDuration();
  absl::Time started_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_SHARED_RUNS_H_
