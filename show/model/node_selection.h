// The nodes of a model that are shown.
#ifndef ONNXCMP_SHOW_MODEL_NODE_SELECTION_H_
#define ONNXCMP_SHOW_MODEL_NODE_SELECTION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

class NodeSelection {
 public:
  // All nodes.
  NodeSelection() = default;
  explicit NodeSelection(absl::flat_hash_set<const ShownNode*> nodes) : nodes_(std::move(nodes)) {}

  bool all() const { return !nodes_.has_value(); }
  bool Has(const ShownNode& node) const { return all() || nodes_->contains(&node); }
  // The node, or one inside of its graphs.
  bool Reaches(const ShownNode& node) const;
  bool Reaches(const ShownGraph& graph) const;

 private:
  std::optional<absl::flat_hash_set<const ShownNode*>> nodes_;
};

struct SelectionOptions {
  std::string around = "";  // a node or a value, whole or its end; "": any
  int hops = 2;
  std::vector<std::string> operators = {};  // their names in any case; none: any
};

// The nodes that meet all options. NotFound with the nearest names if there is no such node.
absl::StatusOr<NodeSelection> SelectNodes(const ShownModel& model, const SelectionOptions& options);

// "Conv,MatMul" as a list.
std::vector<std::string> OperatorList(absl::string_view text);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_NODE_SELECTION_H_
