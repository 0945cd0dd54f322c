// The node that makes a runtime refuse a model, die or hang.
#ifndef ONNXCMP_COMPARE_SIDES_FAILING_NODE_H_
#define ONNXCMP_COMPARE_SIDES_FAILING_NODE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp {

struct FailingNode {
  // "Conv `y`, node `conv_3` (kernel_shape=[3,3]) on float[1,3,8,8], float[4,3,3,3]".
  std::string text;
  absl::Status status;  // the runtime's, with the node alone, or the nodes up to it
  bool alone = true;    // false: only together with the nodes before it
  // True if the whole model fails for this reason, too; else nothing shows which node does that.
  bool same_reason = true;
  Model model;  // shows it, on these inputs with these true outputs
  Feeds feeds;
  std::vector<Value> outputs;
};

// Asks the runtime node by node, each as a model of its own with the values that our interpreter
// has for it, in order, and stops at the first that fails as the whole model does, with `whole`. If
// none does, prefixes of the model are asked, and then the first node counts that fails for another
// reason. Nothing if none fails at all, as when only all of the model does it, or our interpreter
// cannot run it.
std::optional<FailingNode> FindFailingNode(const Evaluator& evaluator, const Feeds& feeds,
                                           const absl::Status& whole, Runtime* runtime);

// The node that a runtime's message names, in quotes or brackets, by its name or its first output,
// in the words of FailingNode::text; "" if it names none, or several.
std::string NodeNamedIn(absl::string_view message, const Model& model);

// Loads and runs a model that is in memory: what the runtime gives of its outputs.
absl::StatusOr<std::vector<Value>> RunModelInRuntime(const Model& model, const Feeds& feeds,
                                                     Runtime* runtime);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_FAILING_NODE_H_
