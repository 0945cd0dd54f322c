// A comparison as Model Explorer's custom node data, which colors the graphs that it shows.
#ifndef ONNXCMP_TOOLS_MODEL_EXPLORER_NODE_DATA_H_
#define ONNXCMP_TOOLS_MODEL_EXPLORER_NODE_DATA_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/outcome/comparison.h"
#include "record/base/per_side.h"
#include "tools/model_explorer/explorer_ids.h"

namespace onnxcmp {

struct NodeDataFile {
  std::string name;  // "left.error.json"
  std::string text;
};

// Files for one side's model: the error of its nodes' results (beside the values' size), the same
// in dB, and their relation. The worst of a node's results counts, as of a loop's iterations.
std::vector<NodeDataFile> NodeDataOf(const Comparison& comparison, SideId side,
                                     const ExplorerIds& ids);

// The same with the ids of the model in this file.
absl::StatusOr<std::vector<NodeDataFile>> NodeDataOfModel(const Comparison& comparison, SideId side,
                                                          const std::string& path);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_MODEL_EXPLORER_NODE_DATA_H_
