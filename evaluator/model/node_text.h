// Names of a model's nodes in errors and paths.
#ifndef ONNXCMP_EVALUATOR_MODEL_NODE_TEXT_H_
#define ONNXCMP_EVALUATOR_MODEL_NODE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// The name of a node in paths: its own, else its first output, else its operator.
absl::string_view NodeLabel(const Node& node);

// "Squeeze 'squeeze_3' in decoder/attention_0": how errors call a node.
std::string DescribeNode(const Node& node, absl::string_view path);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_MODEL_NODE_TEXT_H_
