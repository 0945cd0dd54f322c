// Renames the values that a node reads.
#ifndef ONNXCMP_COMPARE_CAUSES_REPRO_RENAMED_NODE_H_
#define ONNXCMP_COMPARE_CAUSES_REPRO_RENAMED_NODE_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// The node with its inputs renamed, also in its subgraphs as far as these read outer values. No new
// name may be defined in those subgraphs.
Node WithReadsRenamed(const Node& node, const absl::flat_hash_map<std::string, std::string>& names);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPRO_RENAMED_NODE_H_
