// Tells if both sides are one model that runs in two places, and which results correspond then.
#ifndef ONNXCMP_COMPARE_CAUSES_FORCED_SAME_MODEL_H_
#define ONNXCMP_COMPARE_CAUSES_FORCED_SAME_MODEL_H_

#include <optional>

#include "compare/causes/forced/forced_run.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"

namespace onnxcmp {

// By right result that a node computes: the left's result of that name, if both models have the
// same nodes in the same order. Nothing if they do not: then results have to be paired by their
// values.
std::optional<FixedMatches> MatchesOfSameModel(const ValueClasses& left, const SideGraph& right);

// Has a runtime run all nodes at once that a forced run of these matches will ask it for.
void RunAheadOn(const ForcedRun& run, const FixedMatches& matches);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FORCED_SAME_MODEL_H_
