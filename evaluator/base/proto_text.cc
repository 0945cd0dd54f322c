#include "evaluator/base/proto_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {

std::string OneLine(absl::string_view text) {
  constexpr size_t kLongest = 400;
  if (text.size() > kLongest) {
    absl::string_view begin = text.substr(0, kLongest / 2);
    absl::string_view end = text.substr(text.size() - kLongest / 2);
    return absl::StrCat(absl::Utf8SafeCEscape(begin), "...", absl::Utf8SafeCEscape(end));
  }
  return absl::Utf8SafeCEscape(text);
}

std::string Quoted(absl::string_view name) { return absl::StrCat("'", OneLine(name), "'"); }

std::string OperatorName(absl::string_view domain, absl::string_view op_type) {
  return domain.empty() ? OneLine(op_type) : absl::StrCat(OneLine(domain), ".", OneLine(op_type));
}

std::string DescribeNode(const onnx::NodeProto& node, absl::string_view path) {
  std::string text = OperatorName(node.domain(), node.op_type());
  if (!node.name().empty()) {
    absl::StrAppend(&text, " ", Quoted(node.name()));
  } else {
    for (const std::string& output : node.output()) {
      if (!output.empty()) {
        absl::StrAppend(&text, " -> ", Quoted(output));
        break;
      }
    }
  }
  if (!path.empty()) {
    absl::StrAppend(&text, " in ", OneLine(path));
  }
  return text;
}

absl::Status Annotate(const absl::Status& status, absl::string_view where) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

}  // namespace onnxcmp
