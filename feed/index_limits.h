// Finds inputs that are ids into a table.
#ifndef ONNXCMP_FEED_INDEX_LIMITS_H_
#define ONNXCMP_FEED_INDEX_LIMITS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// For each input of the graph that becomes, unchanged or reshaped, the indices of a Gather (or
// GatherElements, GatherBlockQuantized, EmbedLayerNormalization) whose table is an initializer, a
// constant, or an input of known size: the least number of rows of such a table. Does not search
// subgraphs.
absl::flat_hash_map<std::string, int64_t> IndexLimits(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_INDEX_LIMITS_H_
