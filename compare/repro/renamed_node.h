// Nodes that read values of other names.
#ifndef ONNXCMP_COMPARE_REPRO_RENAMED_NODE_H_
#define ONNXCMP_COMPARE_REPRO_RENAMED_NODE_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// The node with what it reads called otherwise, in the graphs among its attributes too, as far as
// these read it from around them. No new name may be one that those graphs give themselves.
Node WithReadsRenamed(const Node& node, const absl::flat_hash_map<std::string, std::string>& names);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPRO_RENAMED_NODE_H_
