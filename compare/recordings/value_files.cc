#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/files/npy.h"
#include "compare/recordings/recorded_values.h"
#include "compare/text/natural_order.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "onnx/onnx-data.pb.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

constexpr char kArraySuffix[] = ".npy";
constexpr char kMessageSuffix[] = ".pb";

class MappedSource : public ByteSource {
 public:
  explicit MappedSource(const MappedFile& file) : rest_(file.bytes()) {}

  absl::Status Read(void* out, int64_t size) override {
    if (size > remaining()) return absl::InvalidArgumentError("the file ends too early");
    if (size > 0) std::memcpy(out, rest_.data(), static_cast<size_t>(size));
    rest_.remove_prefix(static_cast<size_t>(size));
    return absl::OkStatus();
  }

  int64_t remaining() const override { return static_cast<int64_t>(rest_.size()); }

 private:
  absl::string_view rest_;
};

// A message without its values.
struct Outline {
  std::string name;
  std::vector<TypeInfo::Kind> kinds;  // that it can be, the likeliest first
};

// What is seen of a message's fields. TensorProto, SequenceProto, OptionalProto and MapProto do not
// say which of them they are, and number their fields alike.
struct Fields {
  bool tensors_own = false;  // fields that only TensorProto has
  bool keys = false;         // integers in field 3: a map's keys
  std::optional<uint64_t> type;
  std::vector<int> values;      // which of the fields 3 to 7 occur
  std::string name_of_tensor;   // field 8
  std::string name_of_another;  // field 1, where TensorProto has its dimensions
};

absl::StatusOr<Fields> ScanFields(const std::string& path) {
  using google::protobuf::internal::WireFormatLite;
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
    if (!read) break;  // reading the value will tell
  }
  return fields;
}

absl::StatusOr<Outline> ReadOutline(const std::string& path) {
  using Kind = TypeInfo::Kind;
  OC_ASSIGN_OR_RETURN(Fields fields, ScanFields(path));
  Outline outline;
  const uint64_t type = fields.type.value_or(0);
  // Of a sequence or an optional the type says which field has the values.
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
    // An optional of one value is the same bytes. So may be an int8 scalar.
    if (type == onnx::TensorProto::INT8) outline.kinds.push_back(Kind::kTensor);
    outline.kinds.push_back(Kind::kSequence);
  } else {
    outline.kinds = {Kind::kTensor, Kind::kMap};
  }
  const bool tensor = outline.kinds[0] == Kind::kTensor && outline.kinds.back() == Kind::kTensor;
  outline.name = std::move(tensor ? fields.name_of_tensor : fields.name_of_another);
  return outline;
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

absl::StatusOr<RecordedValues::Read> ReadArray(const std::string& path, int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  MappedSource source(*file);
  absl::StatusOr<NpyArray> array = ReadNpy(source, max_tensor);
  if (!array.ok()) return Annotate(array.status(), OneLine(path));
  return RecordedValues::Read{std::move(array->tensor), array->opaque};
}

ResultKind KindOf(absl::string_view file) {
  const auto is = [file](absl::string_view prefix) {
    absl::string_view rest = file;
    return absl::ConsumePrefix(&rest, prefix) && !rest.empty() &&
           std::all_of(rest.begin(), rest.end(), absl::ascii_isdigit);
  };
  if (is("input_")) return ResultKind::kInput;
  return is("output_") ? ResultKind::kOutput : ResultKind::kResult;
}

class ValueFiles : public RecordedValues {
 public:
  explicit ValueFiles(int64_t max_tensor) : max_tensor_(max_tensor) {}

  absl::Status Add(const std::string& path) {
    const std::filesystem::path file(path);
    RecordedResult& result = results_.emplace_back();
    result.name = file.stem().string();
    result.kind = KindOf(result.name);
    if (file.extension() == kMessageSuffix) {
      OC_ASSIGN_OR_RETURN(Outline outline, ReadOutline(path));
      if (!outline.name.empty() && !names_.contains(outline.name)) {
        result.name = std::move(outline.name);
      }
    }
    names_.insert(result.name);
    paths_.push_back(path);
    return absl::OkStatus();
  }

  absl::StatusOr<Read> ReadValue(size_t index) override {
    const std::string& path = paths_[index];
    if (!absl::EndsWith(path, kMessageSuffix)) return ReadArray(path, max_tensor_);
    OC_ASSIGN_OR_RETURN(Value value, ReadMessage(path));
    return Read{std::move(value)};
  }

 private:
  int64_t max_tensor_;
  std::vector<std::string> paths_;
  absl::flat_hash_set<std::string> names_;
};

// The folder's value files in order.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path extension = entry->path().extension();
    if (extension == kArraySuffix || extension == kMessageSuffix) {
      files.push_back(entry->path().string());
    }
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat(OneLine(folder), ": ", error.message()));
  }
  if (files.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(OneLine(folder), ": there are no .npy or .pb files in this folder"));
  }
  std::sort(files.begin(), files.end(), NaturallyLess);
  return files;
}

}  // namespace

absl::StatusOr<std::string> NameInValueFile(const std::string& path) {
  OC_ASSIGN_OR_RETURN(Outline outline, ReadOutline(path));
  return std::move(outline.name);
}

absl::StatusOr<std::unique_ptr<RecordedValues>> OpenValueFiles(const std::string& path,
                                                               int64_t max_tensor) {
  std::error_code error;
  std::vector<std::string> files = {path};
  if (std::filesystem::is_directory(path, error)) {
    OC_ASSIGN_OR_RETURN(files, FilesIn(path));
  }
  auto values = std::make_unique<ValueFiles>(max_tensor);
  for (const std::string& file : files) OC_RETURN_IF_ERROR(values->Add(file));
  return values;
}

}  // namespace onnxcmp
