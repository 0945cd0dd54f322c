// What a cause does to the outputs.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_EFFECTS_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_EFFECTS_H_

#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "compare/forced/forced_run.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// By right result: the value that takes its place.
using Replacements = absl::btree_map<int, Value>;

// Runs the right model with some of its results replaced by the left's values.
class CauseEffects {
 public:
  // All must outlive the object.
  CauseEffects(const ForcedRun& run, const Evaluator& right, const Feeds& feeds)
      : run_(run), right_(right), feeds_(feeds) {}

  // How far the outputs are from the left's, as Distance() has it, when these right results are
  // replaced. Nothing if the run fails or no output can be measured.
  std::optional<double> DistanceWithout(const Replacements& replaced) const;

  // The right's outputs then; empty if the run fails.
  std::vector<Value> OutputsWithout(const Replacements& replaced) const;

 private:
  const ForcedRun& run_;
  const Evaluator& right_;
  const Feeds& feeds_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_EFFECTS_H_
