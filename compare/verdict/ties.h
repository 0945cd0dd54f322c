// Indices and labels that differ between two sides only because two scores tie within rounding.
#ifndef ONNXCMP_COMPARE_VERDICT_TIES_H_
#define ONNXCMP_COMPARE_VERDICT_TIES_H_

#include <cstdint>
#include <optional>

#include "compare/graphs/side_graph.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Where the numbers of an index or a label come from.
struct ScoreSource {
  int ids = kNone;     // the result of the node that chose them; elements are in the output's order
  int scores = kNone;  // what it chose by
  enum class Kind : uint8_t { kArg, kTopK, kLabels } kind = Kind::kArg;
  int64_t axis = -1;  // of the scores; of labels the last one
};

// Goes back from a result through what only casts or reshapes it to an ArgMax, ArgMin, TopK or a
// classifier. Nothing if there is none.
std::optional<ScoreSource> FindScores(const SideGraph& graph, int result);

// The ids of both sides, as their nodes gave them, and the scores. Whether ids differ only where
// scores are as near to each other as the two sides' scores are. False if that cannot be told.
bool DifferByTies(const ScoreSource& source, const Tensor& left_ids, const Tensor& right_ids,
                  const Tensor& left_scores, const Tensor& right_scores);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_VERDICT_TIES_H_
