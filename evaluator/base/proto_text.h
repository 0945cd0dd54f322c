// How errors and notes about a model's messages call things. All of it is one line: names come from
// files and may hold anything.
#ifndef ONNXCMP_EVALUATOR_BASE_PROTO_TEXT_H_
#define ONNXCMP_EVALUATOR_BASE_PROTO_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnx {
class NodeProto;
}  // namespace onnx

namespace onnxcmp {

// 'name', with control characters escaped and the middle of a long one left out.
std::string Quoted(absl::string_view name);

// The same without quotes, for a call path or a text of ONNX's.
std::string OneLine(absl::string_view text);

// "Add", "com.microsoft.Gelu".
std::string OperatorName(absl::string_view domain, absl::string_view op_type);

// "Squeeze 'squeeze_3' in decoder/attention_0"; the first output's name for a node without one.
std::string DescribeNode(const onnx::NodeProto& node, absl::string_view path);

// The status with "where: " before its message.
absl::Status Annotate(const absl::Status& status, absl::string_view where);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_PROTO_TEXT_H_
