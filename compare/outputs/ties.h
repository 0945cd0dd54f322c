// Finds indices and labels that differ between two sides only because two scores tie within
// rounding.
#ifndef ONNXCMP_COMPARE_OUTPUTS_TIES_H_
#define ONNXCMP_COMPARE_OUTPUTS_TIES_H_

#include <cstdint>
#include <optional>

#include "compare/outputs/output_comparison.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// Origin of the numbers of an index or a label.
struct ScoreSource {
  int ids = kNone;     // the result of the node that chose them; elements are in the output's order
  int scores = kNone;  // scores that it chose by
  enum class Kind : uint8_t { kArg, kTopK, kLabels } kind = Kind::kArg;
  int64_t axis = -1;  // the scores' axis; the last one for labels
};

// Follows a result back through casts and reshapes to an ArgMax, ArgMin, TopK or a classifier.
// Nothing if there is none.
std::optional<ScoreSource> FindScores(const SideGraph& graph, int result);

// Ids of both sides, as their nodes gave them, and the scores.
struct ScoredIds {
  PerSide<Tensor> ids;
  PerSide<Tensor> scores;
};

// The margin of the ids that differ: ScoreMargin::ties if scores are as near to each other there as
// the two sides' scores are. Nothing if that is not known.
std::optional<ScoreMargin> MarginOf(const ScoreSource& source, const ScoredIds& scored);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_TIES_H_
