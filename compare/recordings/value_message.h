// Values as ONNX's messages in files of their own: TensorProto, SequenceProto, OptionalProto and
// MapProto, told by their fields, whatever the file is called.
#ifndef ONNXCMP_COMPARE_RECORDINGS_VALUE_MESSAGE_H_
#define ONNXCMP_COMPARE_RECORDINGS_VALUE_MESSAGE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Which message bytes can be, by their fields alone. All of them must be known and of their form;
// the first that tells decides: a value has its element type where a model has its producer.
enum class MessageKind : uint8_t { kNone, kValue, kModel };
MessageKind KindOfMessage(absl::string_view bytes);

// The name that a file of a value says; "" if it says none.
absl::StatusOr<std::string> NameInValueFile(const std::string& path);

// The value in such a file. An error names the file.
absl::StatusOr<Value> ReadMessage(const std::string& path);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDINGS_VALUE_MESSAGE_H_
