#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/memory_limit.h"
#include "compare/natural_order.h"
#include "compare/npy.h"
#include "compare/recorded_values.h"
#include "evaluator/mapped_file.h"
#include "evaluator/proto_text.h"
#include "evaluator/status_macros.h"
#include "evaluator/tensor_proto.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "onnx/onnx-data.pb.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kArraySuffix = ".npy";
constexpr absl::string_view kMessageSuffix = ".pb";

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

// The name in a message, found without reading the values; "" if there is none. All of these
// messages have it in field 1 but TensorProto, where that field holds dimensions.
absl::StatusOr<std::string> NameInMessage(const std::string& path) {
  using google::protobuf::internal::WireFormatLite;
  constexpr int kNameOfOthers = onnx::SequenceProto::kNameFieldNumber;
  constexpr int kMaxInt = std::numeric_limits<int>::max();
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t*>(file->data()),
      static_cast<int>(std::min<int64_t>(file->size(), kMaxInt)));
  std::string name;
  while (const uint32_t tag = stream.ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const bool is_tensors = field == onnx::TensorProto::kNameFieldNumber;
    if ((is_tensors || field == kNameOfOthers) &&
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      std::string text;
      if (!WireFormatLite::ReadBytes(&stream, &text)) break;
      if (is_tensors) return text;
      // Dimensions are no text.
      if (std::none_of(text.begin(), text.end(), absl::ascii_iscntrl)) name = std::move(text);
    } else if (!WireFormatLite::SkipField(&stream, tag)) {
      break;  // reading the value will tell
    }
  }
  return name;
}

// A message does not say which of its kin it is, but only one of them can be read from it. A
// sequence of one value and an optional of one are the same bytes, and count as a sequence.
absl::StatusOr<Value> ReadMessage(const std::string& path) {
  absl::Status status;
  for (const TypeInfo::Kind kind : {TypeInfo::Kind::kTensor, TypeInfo::Kind::kSequence,
                                    TypeInfo::Kind::kOptional, TypeInfo::Kind::kMap}) {
    TypeInfo type;
    type.kind = kind;
    absl::StatusOr<Value> value = ReadValueFile(path, type);
    if (value.ok()) return value;
    if (status.ok()) status = value.status();
  }
  return status;
}

absl::StatusOr<RecordedValues::Read> ReadArray(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  MappedSource source(*file);
  absl::StatusOr<NpyArray> array = ReadNpy(source, MemoryLimit());
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
  absl::Status Add(const std::string& path) {
    const std::filesystem::path file(path);
    RecordedResult& result = results_.emplace_back();
    result.name = file.stem().string();
    result.kind = KindOf(result.name);
    if (file.extension() == kMessageSuffix) {
      OC_ASSIGN_OR_RETURN(std::string name, NameInMessage(path));
      if (!name.empty() && !names_.contains(name)) result.name = std::move(name);
    }
    names_.insert(result.name);
    paths_.push_back(path);
    return absl::OkStatus();
  }

  absl::StatusOr<Read> ReadValue(size_t index) override {
    const std::string& path = paths_[index];
    if (!absl::EndsWith(path, kMessageSuffix)) return ReadArray(path);
    OC_ASSIGN_OR_RETURN(Value value, ReadMessage(path));
    return Read{std::move(value)};
  }

 private:
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

absl::StatusOr<std::unique_ptr<RecordedValues>> OpenValueFiles(const std::string& path) {
  std::error_code error;
  std::vector<std::string> files = {path};
  if (std::filesystem::is_directory(path, error)) {
    OC_ASSIGN_OR_RETURN(files, FilesIn(path));
  }
  auto values = std::make_unique<ValueFiles>();
  for (const std::string& file : files) OC_RETURN_IF_ERROR(values->Add(file));
  return values;
}

}  // namespace onnxcmp
