// Computes the effect of a cause on the outputs.
#ifndef ONNXCMP_COMPARE_CAUSES_EFFECTS_CAUSE_EFFECTS_H_
#define ONNXCMP_COMPARE_CAUSES_EFFECTS_CAUSE_EFFECTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/causes/forced/forced_run.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// By right result: the value that takes its place.
using Replacements = absl::btree_map<int, Value>;

// Runs the right model with some of its results replaced by the left's values. A node runs only if
// an output depends on it then and its results are not already available.
class CauseEffects {
 public:
  // The run must outlive the object. `keep`: bytes of the first replay's values kept for later
  // ones, which reuse them where nothing before them is replaced differently.
  CauseEffects(const ForcedRun& run, int64_t keep) : run_(run), keep_(keep) {}

  // Distance() of the outputs from the left's when these right results are replaced. Nothing if the
  // run fails or no output can be measured.
  std::optional<double> DistanceWithout(const Replacements& replaced);

  // The right's outputs then; empty if the run fails.
  std::vector<Value> OutputsWithout(const Replacements& replaced);
  // The greatest distance of outputs of the right from the left's; nothing if none can be measured.
  std::optional<double> DistanceOf(absl::Span<const Value> outputs) const;

 private:
  // By right node: what it gave, before any replacement.
  using NodeOutputs = absl::flat_hash_map<int, std::vector<Value>>;
  // Nodes and known values of a replay.
  struct Plan {
    std::vector<int> nodes;          // in order; those with known outputs among them
    std::vector<int> outputs;        // results that outputs show
    absl::flat_hash_set<int> plain;  // results that are those of the right's own run
    absl::flat_hash_map<int, const std::vector<Value>*> known;  // by node
  };
  class EffectReplay;

  // Right nodes whose inputs differ from those of the first run under these replacements.
  std::vector<bool> OthersThanFirst(const Replacements& replaced) const;
  // Right nodes that depend on one of the results on a way without any result that `ends` it.
  std::vector<bool> NodesBehind(const std::vector<int>& results,
                                absl::FunctionRef<bool(int)> ends) const;
  // The nodes that outputs depend on under these replacements, and where values are known.
  Plan Prepare(const Replacements& replaced) const;

  const ForcedRun& run_;
  int64_t keep_;
  std::optional<Replacements> first_;  // replacements of the first run
  NodeOutputs known_;                  // outputs of the first run
};

// Limit of the outputs' distance that may remain when all causes are corrected: no cause explains
// the rounding of intermediate results to a coarser type.
double UnexplainedLimit(const SideGraph& left, const SideGraph& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_EFFECTS_CAUSE_EFFECTS_H_
