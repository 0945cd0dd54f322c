// Values in files of ONNX's messages: TensorProto, SequenceProto, OptionalProto and MapProto,
// recognized by their fields, whatever the file's name.
#ifndef ONNXCMP_RECORD_RECORDINGS_VALUE_MESSAGE_H_
#define ONNXCMP_RECORD_RECORDINGS_VALUE_MESSAGE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Kind of a message, by its fields alone. All fields must be known and of the right wire type; the
// first distinctive one decides: a value has its element type where a model has its producer.
enum class MessageKind : uint8_t { kNone, kValue, kModel };
MessageKind KindOfMessage(absl::string_view bytes);

// The name in a value's file; "" if there is none.
absl::StatusOr<std::string> NameInValueFile(const std::string& path);

// The value in such a file. An error names the file.
absl::StatusOr<Value> ReadMessage(const std::string& path);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_VALUE_MESSAGE_H_
