#include "record/recordings/value_message.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/model.h"
#include "evaluator/protos/tensor_proto.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "onnx/onnx-data.pb.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

using google::protobuf::internal::WireFormatLite;

// True if a field may have a wire type in a message of a value, for any of the four messages.
bool IsFieldOfValue(int field, WireFormatLite::WireType type) {
  const bool bytes = type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
  const bool number = type == WireFormatLite::WIRETYPE_VARINT;
  switch (field) {
    case onnx::TensorProto::kDataTypeFieldNumber:
    case onnx::TensorProto::kDataLocationFieldNumber:
      return number;
    case onnx::TensorProto::kDimsFieldNumber:     // and names
    case onnx::TensorProto::kSegmentFieldNumber:  // and a map's keys
    case onnx::TensorProto::kInt32DataFieldNumber:
    case onnx::TensorProto::kInt64DataFieldNumber:
    case onnx::TensorProto::kUint64DataFieldNumber:
      return number || bytes;
    case onnx::TensorProto::kFloatDataFieldNumber:
      return bytes || type == WireFormatLite::WIRETYPE_FIXED32;
    case onnx::TensorProto::kDoubleDataFieldNumber:
      return bytes || type == WireFormatLite::WIRETYPE_FIXED64;
    case onnx::TensorProto::kStringDataFieldNumber:
    case onnx::TensorProto::kNameFieldNumber:
    case onnx::TensorProto::kRawDataFieldNumber:
    case onnx::TensorProto::kDocStringFieldNumber:
    case onnx::TensorProto::kExternalDataFieldNumber:
    case onnx::TensorProto::kMetadataPropsFieldNumber:
      return bytes;
    default:
      return false;
  }
}

// A message without its values.
struct Outline {
  std::string name;
  std::vector<TypeInfo::Kind> kinds;  // possible kinds, the likeliest first
};

// Evidence in a message's fields. TensorProto, SequenceProto, OptionalProto and MapProto do not
// name their own type, and number their fields alike.
struct Fields {
  bool tensors_own = false;  // fields that only TensorProto has
  bool keys = false;         // integers in field 3: a map's keys
  std::optional<uint64_t> type;
  std::vector<int> values;      // the fields of 3 to 7 that occur
  std::string name_of_tensor;   // field 8
  std::string name_of_another;  // field 1, where TensorProto has its dimensions
};

absl::StatusOr<Fields> ScanFields(const std::string& path) {
  constexpr int kMaxInt = std::numeric_limits<int>::max();
  constexpr int kTypeField = onnx::TensorProto::kDataTypeFieldNumber;  // elem_type, key_type
  constexpr int kNameField = onnx::TensorProto::kNameFieldNumber;
  constexpr int kOtherNameField = onnx::SequenceProto::kNameFieldNumber;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t*>(file->data()),
      static_cast<int>(std::min<int64_t>(file->size(), kMaxInt)));
  Fields fields;
  while (const uint32_t tag = stream.ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const bool number = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT;
    const bool bytes =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    fields.tensors_own |= field >= kNameField || (field == kOtherNameField && number);
    fields.keys |= field == onnx::MapProto::kKeysFieldNumber && number;
    if (field > kTypeField && field < kNameField) fields.values.push_back(field);
    bool read = true;
    if (field == kTypeField && number) {
      uint64_t type = 0;
      read = stream.ReadVarint64(&type);
      fields.type = type;
    } else if (bytes && field == kNameField) {
      read = WireFormatLite::ReadBytes(&stream, &fields.name_of_tensor);
    } else if (bytes && field == kOtherNameField) {
      read = WireFormatLite::ReadBytes(&stream, &fields.name_of_another);
    } else {
      read = WireFormatLite::SkipField(&stream, tag);
    }
    if (!read) break;  // reading the value reports it
  }
  return fields;
}

absl::StatusOr<Outline> ReadOutline(const std::string& path) {
  using Kind = TypeInfo::Kind;
  OC_ASSIGN_OR_RETURN(Fields fields, ScanFields(path));
  Outline outline;
  const uint64_t type = fields.type.value_or(0);
  // In a sequence or an optional, the type determines the field of the values.
  const bool one_field = std::all_of(fields.values.begin(), fields.values.end(), [&](int field) {
    return static_cast<uint64_t>(field) == type + 2;
  });
  if (fields.tensors_own || !fields.type.has_value()) {
    outline.kinds = {Kind::kTensor};
  } else if (fields.keys) {
    outline.kinds = {Kind::kMap};
  } else if (type == onnx::OptionalProto::UNDEFINED) {
    outline.kinds = {Kind::kOptional};
  } else if (type <= onnx::SequenceProto::OPTIONAL && one_field) {
    // An optional of one value has the same bytes. So may an int8 scalar.
    if (type == onnx::TensorProto::INT8) outline.kinds.push_back(Kind::kTensor);
    outline.kinds.push_back(Kind::kSequence);
  } else {
    outline.kinds = {Kind::kTensor, Kind::kMap};
  }
  const bool tensor = outline.kinds[0] == Kind::kTensor && outline.kinds.back() == Kind::kTensor;
  outline.name = std::move(tensor ? fields.name_of_tensor : fields.name_of_another);
  return outline;
}

}  // namespace

MessageKind KindOfMessage(absl::string_view bytes) {
  constexpr uint64_t kMostTypes = 64;  // far more than ONNX has
  if (bytes.empty() || bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return MessageKind::kNone;
  }
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  bool typed = false;
  bool filled = false;
  while (const uint32_t tag = stream.ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const WireFormatLite::WireType type = WireFormatLite::GetTagWireType(tag);
    const bool has_bytes = type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (!typed && has_bytes &&
        (field == onnx::ModelProto::kProducerNameFieldNumber ||
         field == onnx::ModelProto::kGraphFieldNumber)) {
      return WireFormatLite::SkipField(&stream, tag) ? MessageKind::kModel : MessageKind::kNone;
    }
    if (!IsFieldOfValue(field, type)) return MessageKind::kNone;
    if (field == onnx::TensorProto::kDataTypeFieldNumber) {
      uint64_t value = 0;
      if (!stream.ReadVarint64(&value) || value > kMostTypes) return MessageKind::kNone;
      typed = true;
      continue;
    }
    filled = filled || (field > onnx::TensorProto::kDataTypeFieldNumber || has_bytes);
    if (!WireFormatLite::SkipField(&stream, tag)) return MessageKind::kNone;
  }
  return typed && filled && stream.ConsumedEntireMessage() ? MessageKind::kValue
                                                           : MessageKind::kNone;
}

absl::StatusOr<std::string> NameInValueFile(const std::string& path) {
  OC_ASSIGN_OR_RETURN(Outline outline, ReadOutline(path));
  return std::move(outline.name);
}

absl::StatusOr<Value> ReadMessage(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const Outline outline, ReadOutline(path));
  absl::Status status;
  for (const TypeInfo::Kind kind : outline.kinds) {
    TypeInfo type;
    type.kind = kind;
    absl::StatusOr<Value> value = ReadValueFile(path, type);
    if (value.ok()) return value;
    if (status.ok()) status = value.status();
  }
  return status;
}

}  // namespace onnxcmp
