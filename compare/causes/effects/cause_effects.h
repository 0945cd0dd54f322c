// What a cause does to the outputs.
#ifndef ONNXCMP_COMPARE_CAUSES_EFFECTS_CAUSE_EFFECTS_H_
#define ONNXCMP_COMPARE_CAUSES_EFFECTS_CAUSE_EFFECTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "compare/forced/forced_run.h"
#include "compare/graphs/side_graph.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// By right result: the value that takes its place.
using Replacements = absl::btree_map<int, Value>;

// Runs the right model with some of its results replaced by the left's values. A node runs only if
// an output depends on it then, and on nothing that is at hand instead.
class CauseEffects {
 public:
  // All must outlive the object. `keep`: bytes of the first run's values that the next ones may
  // take where nothing before them is replaced in another way.
  CauseEffects(const ForcedRun& run, const Evaluator& right, const Feeds& feeds, int64_t keep)
      : run_(run), right_(right), feeds_(feeds), keep_(keep) {}

  // How far the outputs are from the left's, as Distance() has it, when these right results are
  // replaced. Nothing if the run fails or no output can be measured.
  std::optional<double> DistanceWithout(const Replacements& replaced);

  // The right's outputs then; empty if the run fails.
  std::vector<Value> OutputsWithout(const Replacements& replaced);

 private:
  // Of a node, before anything is replaced.
  using NodeOutputs = absl::flat_hash_map<const Node*, std::vector<Value>>;
  class PartialRun;

  // Nodes of the right that read something else than in the first run when these are replaced.
  std::vector<bool> OthersThanFirst(const Replacements& replaced) const;
  // Nodes of the right that depend on a result of `open` otherwise than by one that `ends` the way.
  std::vector<bool> NodesBehind(std::vector<int> open, absl::FunctionRef<bool(int)> ends) const;
  // What a run with these in place knows from the start, and which nodes it can do without.
  PartialRun Prepare(const Replacements& replaced) const;

  const ForcedRun& run_;
  const Evaluator& right_;
  const Feeds& feeds_;
  int64_t keep_;
  std::optional<Replacements> first_;  // what the first run replaced
  NodeOutputs known_;                  // of the first run
};

// What rounds to a coarser type on the way is not explained by any cause: as far as this the
// outputs may be apart when all causes are corrected.
double UnexplainedLimit(const SideGraph& left, const SideGraph& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_EFFECTS_CAUSE_EFFECTS_H_
