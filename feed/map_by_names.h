// Pairs inputs where names alone settle it.
#ifndef ONNXCMP_FEED_MAP_BY_NAMES_H_
#define ONNXCMP_FEED_MAP_BY_NAMES_H_

#include <optional>

#include "evaluator/model/model.h"
#include "feed/input_mapping.h"

namespace onnxcmp {

// The pairs of inputs of the same name, if they are beyond doubt: each has a namesake that fits,
// and in two models no two could be exchanged. Comparing places takes many passes over the graphs.
std::optional<InputMapping> MapByNames(const Graph& left, const Graph& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MAP_BY_NAMES_H_
