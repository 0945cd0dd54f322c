// Fields of a message that the ONNX in use has no name for: a newer ONNX wrote it.
#ifndef ONNXCMP_EVALUATOR_LOAD_UNKNOWN_FIELDS_H_
#define ONNXCMP_EVALUATOR_LOAD_UNKNOWN_FIELDS_H_

#include <optional>
#include <string>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace onnxcmp {

// The first such field, of the message or of one inside of it: "field 12 of a NodeProto".
std::optional<std::string> UnknownField(const google::protobuf::Message& message);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_UNKNOWN_FIELDS_H_
