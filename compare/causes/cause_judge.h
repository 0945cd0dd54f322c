// Judges the matched results of a search for causes and names the causes among them.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_JUDGE_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_JUDGE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/causes/body_search.h"
#include "compare/causes/cause_truth.h"
#include "compare/causes/causes.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"
#include "compare/causes/weighed_causes.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

class CauseJudge {
 public:
  // All must outlive the object.
  CauseJudge(const ForcedRun& run, const ForcedState& state, const PerSide<RecordedSide>& sides,
             const CauseOptions& options);

  // Judges all matched results, once. The report has causes, mistakes first, their effects and
  // notes.
  CauseReport Judge();

  // After Judge(): true if there are more causes than the limit.
  bool reached_limit() const { return reached_limit_; }
  // After Judge(): true if a node of the right has a cause inside.
  bool IsExplainedInside(int node) const { return explained_inside_.contains(node); }

 private:
  bool JudgeResult(int r);
  void NameCause(int r, const RegionNoise::NoiseRatio& noise_ratio);
  bool LookInside(const NodesWithBodies& nodes, bool beyond);
  bool NameShapes();
  void DropLaterOverflows();
  void PassOn();
  bool IsConfirmed(int r) const;
  bool ReadsRestOfCause(int r) const;
  int PlaceOf(int r) const;
  bool RoundsToIntegers(int r) const;
  bool IsWrongAlone(int r) const;

  const ForcedRun& run_;
  const ForcedState& state_;
  const PerSide<RecordedSide> sides_;
  const CauseOptions& options_;
  const SideGraph& right_;
  const RegionNoise noise_;
  CauseTruth truth_;
  CauseReport report_;
  JudgedResults judged_;
  bool reached_limit_ = false;
  absl::flat_hash_set<std::pair<int, bool>> places_;    // with a cause: PlaceOf, constant
  absl::flat_hash_map<std::string, size_t> folded_;     // causes by the operators of their regions
  absl::btree_map<size_t, int> overflows_;              // by cause: the result that overflows
  absl::btree_set<std::pair<int, int>> looked_inside_;  // nodes of the left and of the right
  absl::btree_set<int> explained_inside_;               // nodes of the right with a cause inside
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_JUDGE_H_
