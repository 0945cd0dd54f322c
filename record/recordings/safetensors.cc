// The .safetensors format: the length of the header (8 bytes), the header in JSON, the tensors'
// bytes without gaps.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"
#include "record/recordings/recorded_values.h"
#include "record/text/natural_order.h"

namespace onnxcmp {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kLengthBytes = 8;
constexpr uint64_t kMostHeaderBytes = 100'000'000;  // the limit of the format's own reader
constexpr char kMetadata[] = "__metadata__";

struct Type {
  const char* name;
  int bits;
  DType dtype;  // kUndefined: not read, since the format leaves open how 6 bits are packed
};
constexpr Type kTypes[] = {{"BOOL", 8, DType::kBool},
                           {"F4", 4, DType::kFloat4E2M1},
                           {"F6_E2M3", 6, DType::kUndefined},
                           {"F6_E3M2", 6, DType::kUndefined},
                           {"U8", 8, DType::kUint8},
                           {"I8", 8, DType::kInt8},
                           {"F8_E5M2", 8, DType::kFloat8E5M2},
                           {"F8_E4M3", 8, DType::kFloat8E4M3FN},
                           {"F8_E8M0", 8, DType::kFloat8E8M0},
                           {"F8_E4M3FNUZ", 8, DType::kFloat8E4M3FNUZ},
                           {"F8_E5M2FNUZ", 8, DType::kFloat8E5M2FNUZ},
                           {"I16", 16, DType::kInt16},
                           {"U16", 16, DType::kUint16},
                           {"F16", 16, DType::kFloat16},
                           {"BF16", 16, DType::kBfloat16},
                           {"I32", 32, DType::kInt32},
                           {"U32", 32, DType::kUint32},
                           {"F32", 32, DType::kFloat},
                           {"C64", 64, DType::kComplex64},
                           {"F64", 64, DType::kDouble},
                           {"I64", 64, DType::kInt64},
                           {"U64", 64, DType::kUint64}};

struct Entry {
  std::string name;
  const Type* type = nullptr;
  Shape shape;
  int64_t begin = 0;  // in the bytes after the header
  int64_t end = 0;
};

// Non-negative integers in an array.
std::optional<Shape> Integers(const Json& json, const char* member) {
  const auto it = json.find(member);
  if (it == json.end() || !it->is_array()) return std::nullopt;
  Shape integers;
  for (const Json& number : *it) {
    if (!number.is_number_unsigned()) return std::nullopt;
    const auto value = number.get<uint64_t>();
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    integers.push_back(static_cast<int64_t>(value));
  }
  return integers;
}

absl::StatusOr<Entry> ParseEntry(const std::string& name, const Json& json) {
  Entry entry;
  entry.name = name;
  if (!json.is_object()) return absl::InvalidArgumentError("it is not described");
  const auto dtype = json.find("dtype");
  const std::string type =
      dtype != json.end() && dtype->is_string() ? dtype->get<std::string>() : "";
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const Type& candidate) { return type == candidate.name; });
  if (known == std::end(kTypes)) {
    return absl::InvalidArgumentError(absl::StrCat("unknown element type ", Quoted(type)));
  }
  entry.type = known;
  const std::optional<Shape> shape = Integers(json, "shape");
  const std::optional<int64_t> elements = shape ? NumElements(*shape) : std::nullopt;
  if (!elements.has_value()) return absl::InvalidArgumentError("its shape is impossible");
  entry.shape = *shape;
  const std::optional<Shape> offsets = Integers(json, "data_offsets");
  if (!offsets.has_value() || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1]) {
    return absl::InvalidArgumentError("its data_offsets are no begin and end");
  }
  entry.begin = (*offsets)[0];
  entry.end = (*offsets)[1];
  // The elements must fill whole bytes, or the shape is refused.
  const int64_t bytes = entry.end - entry.begin;
  if (*elements > std::numeric_limits<int64_t>::max() / known->bits ||
      *elements * known->bits % 8 != 0 || *elements * known->bits / 8 != bytes) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", bytes, " bytes, which does not fit ",
                                                   type, "[", ShapeToString(entry.shape), "]"));
  }
  return entry;
}

// Checks that the tensors lie one after the other from the first to the last byte.
absl::Status CheckCoverage(const std::vector<Entry>& entries, int64_t bytes) {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  int64_t covered = 0;
  for (const Entry* entry : order) {
    if (entry->begin != covered) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", Quoted(entry->name), " begins at byte ", entry->begin,
                       " of the data, where the one before it ends at ", covered));
    }
    covered = entry->end;
  }
  if (covered != bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the tensors take ", covered, " bytes, the file has ", bytes));
  }
  return absl::OkStatus();
}

class Safetensors : public RecordedValues {
 public:
  explicit Safetensors(const std::filesystem::path& path)
      : path_(path.string()),
        file_(path.filename().string()),
        data_(ExternalData::OfModel(path_, /*follow_links=*/true)) {}

  absl::Status ReadHeader() {
    OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path_));
    const absl::Status status = ParseHeader(*file);
    return status.ok() ? status : Annotate(status, OneLine(path_));
  }

  absl::StatusOr<Read> ReadValue(size_t index) override {
    const Entry& entry = entries_[index];
    onnx::TensorProto proto;
    proto.set_data_type(static_cast<int>(entry.type->dtype));
    proto.mutable_dims()->Add(entry.shape.begin(), entry.shape.end());
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto set = [&proto](const char* key, const std::string& value) {
      onnx::StringStringEntryProto& external = *proto.add_external_data();
      external.set_key(key);
      external.set_value(value);
    };
    set("location", file_);
    set("offset", absl::StrCat(data_begin_ + entry.begin));
    set("length", absl::StrCat(entry.end - entry.begin));
    absl::StatusOr<Tensor> tensor = TensorFromProto(proto, nullptr, &data_);
    if (!tensor.ok()) {
      return Annotate(tensor.status(),
                      absl::StrCat(OneLine(path_), ": tensor ", Quoted(entry.name)));
    }
    return Read{*std::move(tensor)};
  }

 private:
  absl::Status ParseHeader(const MappedFile& file) {
    if (file.size() < kLengthBytes) {
      return absl::InvalidArgumentError("it is too short to be a .safetensors file");
    }
    uint64_t length = 0;
    for (int64_t i = kLengthBytes; i-- > 0;) {
      length = length << 8 | static_cast<uint64_t>(file.data()[i]);
    }
    if (length > kMostHeaderBytes || length > static_cast<uint64_t>(file.size() - kLengthBytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a header of ", length, " bytes does not fit into the file"));
    }
    data_begin_ = kLengthBytes + static_cast<int64_t>(length);
    const absl::string_view text = file.bytes().substr(kLengthBytes, length);
    const Json header = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
    if (!header.is_object()) return absl::InvalidArgumentError("its header is no JSON object");
    for (const auto& [name, json] : header.items()) {
      if (name == kMetadata) continue;
      absl::StatusOr<Entry> entry = ParseEntry(name, json);
      if (!entry.ok()) return Annotate(entry.status(), absl::StrCat("tensor ", Quoted(name)));
      entries_.push_back(*std::move(entry));
    }
    OC_RETURN_IF_ERROR(CheckCoverage(entries_, file.size() - data_begin_));
    std::erase_if(entries_, [this](const Entry& entry) {
      if (entry.type->dtype != DType::kUndefined) return false;
      notes_.push_back(absl::StrCat("tensor ", Quoted(entry.name),
                                    " is left out: ONNX has no type ", entry.type->name));
      return true;
    });
    // The file lists them by size.
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return NaturallyLess(a.name, b.name); });
    for (const Entry& entry : entries_) results_.emplace_back().name = entry.name;
    return absl::OkStatus();
  }

  std::string path_;
  std::string file_;  // in its folder
  ExternalData data_;
  int64_t data_begin_ = 0;
  std::vector<Entry> entries_;  // as results_
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordedValues>> OpenSafetensors(const std::string& path) {
  auto values = std::make_unique<Safetensors>(path);
  OC_RETURN_IF_ERROR(values->ReadHeader());
  return values;
}

}  // namespace onnxcmp
