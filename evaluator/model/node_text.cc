#include "evaluator/model/node_text.h"

#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"

namespace onnxcmp {

absl::string_view NodeLabel(const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const std::string& output : node.outputs) {
    if (!output.empty()) return output;
  }
  return node.op_type;
}

std::string DescribeNode(const Node& node, absl::string_view path) {
  std::string text = OperatorName(node.domain, node.op_type);
  if (!node.name.empty()) {
    absl::StrAppend(&text, " ", Quoted(node.name));
  } else {
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      absl::StrAppend(&text, " -> ", Quoted(output));
      break;
    }
  }
  if (!path.empty()) absl::StrAppend(&text, " in ", OneLine(path));
  return text;
}

}  // namespace onnxcmp
