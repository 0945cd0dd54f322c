#include "record/runtimes/value_files.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/recordings/npy.h"

namespace onnxcmp {
namespace {

using EntryJson = nlohmann::ordered_json;

// Types nest as deep as that at most.
constexpr int kMostNested = 16;

class EntryWriter {
 public:
  EntryWriter(const std::string& folder, const std::string& prefix)
      : folder_(folder), prefix_(prefix) {}

  absl::StatusOr<EntryJson> Write(const Value& value) {
    if (value.is_tensor()) return WriteTensor(value.tensor());
    EntryJson elements = EntryJson::array();
    if (value.is_sequence()) {
      for (const Value& element : value.sequence().elements) {
        OC_ASSIGN_OR_RETURN(EntryJson entry, Write(element));
        elements.push_back(std::move(entry));
      }
      return EntryJson{{"kind", "sequence"}, {"elements", std::move(elements)}};
    }
    if (value.is_optional()) {
      if (value.optional().element != nullptr) {
        OC_ASSIGN_OR_RETURN(EntryJson entry, Write(*value.optional().element));
        elements.push_back(std::move(entry));
      }
      return EntryJson{{"kind", "optional"}, {"elements", std::move(elements)}};
    }
    return absl::UnimplementedError(
        absl::StrCat("a runtime is not fed values of type ", value.TypeString()));
  }

 private:
  absl::StatusOr<EntryJson> WriteTensor(const Tensor& tensor) {
    const std::string name = absl::StrCat(prefix_, count_++, ".npy");
    std::ofstream file(absl::StrCat(folder_, "/", name), std::ios::binary);
    OC_ASSIGN_OR_RETURN(const Tensor in_memory, tensor.InMemory(nullptr));
    OC_RETURN_IF_ERROR(WriteNpy(in_memory, [&file](absl::string_view bytes) {
      file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      return absl::OkStatus();
    }));
    file.close();
    if (!file) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no value could be written to ", folder_, ": is the disk full?"));
    }
    return EntryJson{
        {"kind", "tensor"}, {"file", name}, {"type", std::string(DTypeName(tensor.dtype()))}};
  }

  const std::string& folder_;
  const std::string& prefix_;
  int count_ = 0;
};

absl::Status NoEntry(const EntryJson& json) {
  return absl::InvalidArgumentError(
      absl::StrCat("the runtime gave no value but ",
                   json.dump(-1, ' ', false, EntryJson::error_handler_t::replace).substr(0, 200)));
}

// The file that an entry names; nothing for one outside of the folder.
std::optional<std::string> FileOf(const EntryJson& json, const std::string& folder) {
  const auto file = json.find("file");
  if (file == json.end() || !file->is_string()) return std::nullopt;
  const std::string name = file->get<std::string>();
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  return absl::StrCat(folder, "/", name);
}

absl::StatusOr<Value> ReadTensorEntry(const EntryJson& json, const std::string& folder,
                                      int64_t max_tensor) {
  const std::optional<std::string> path = FileOf(json, folder);
  if (!path.has_value()) return NoEntry(json);
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(*path));
  const MappedPages pages(file, 0, file->size());
  BytesSource source(file->bytes());
  OC_ASSIGN_OR_RETURN(NpyArray array, ReadNpy(source, max_tensor));
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string()) return Value(std::move(array.tensor));
  const std::optional<DType> dtype = DTypeFromName(type->get<std::string>());
  if (!dtype.has_value() || !NumpyLacks(*dtype)) return Value(std::move(array.tensor));
  OC_ASSIGN_OR_RETURN(Tensor restored, RestoreDType(array.tensor, *dtype));
  return Value(std::move(restored));
}

absl::StatusOr<Value> ReadEntry(const EntryJson& json, const std::string& folder,
                                int64_t max_tensor, int depth) {
  if (!json.is_object() || depth > kMostNested) return NoEntry(json);
  const auto named = json.find("kind");
  const std::string kind =
      named != json.end() && named->is_string() ? named->get<std::string>() : "";
  if (kind == "tensor") return ReadTensorEntry(json, folder, max_tensor);
  const auto listed = json.find("elements");
  if (listed == json.end() || !listed->is_array()) return NoEntry(json);
  std::vector<Value> elements;
  for (const EntryJson& entry : *listed) {
    OC_ASSIGN_OR_RETURN(Value element, ReadEntry(entry, folder, max_tensor, depth + 1));
    elements.push_back(std::move(element));
  }
  const auto dtype_of = [](const Value& value) {
    return value.is_tensor() ? value.tensor().dtype() : DType::kUndefined;
  };
  const DType dtype = elements.empty() ? DType::kUndefined : dtype_of(elements[0]);
  if (kind == "sequence") return Value(Sequence{dtype, std::move(elements)});
  if (kind == "optional" && elements.empty()) return Value(Optional{});
  if (kind == "optional" && elements.size() == 1) {
    return Value(Optional{std::make_shared<const Value>(std::move(elements[0])), dtype});
  }
  if (kind == "map" && elements.size() == 2 && elements[0].is_tensor()) {
    return Value(Map{elements[0].tensor(), std::make_shared<const Value>(std::move(elements[1]))});
  }
  return NoEntry(json);
}

void RemoveEntry(const EntryJson& json, const std::string& folder) {
  if (const std::optional<std::string> path = FileOf(json, folder)) std::remove(path->c_str());
  const auto elements = json.find("elements");
  if (elements == json.end() || !elements->is_array()) return;
  for (const EntryJson& element : *elements) RemoveEntry(element, folder);
}

}  // namespace

absl::StatusOr<std::string> WriteValueFiles(const Value& value, const std::string& folder,
                                            const std::string& prefix) {
  OC_ASSIGN_OR_RETURN(const EntryJson json, EntryWriter(folder, prefix).Write(value));
  return json.dump();
}

absl::StatusOr<Value> ReadValueFiles(const std::string& entry, const std::string& folder,
                                     int64_t max_tensor) {
  const EntryJson json = EntryJson::parse(entry, nullptr, /*allow_exceptions=*/false);
  return ReadEntry(json, folder, max_tensor, 0);
}

Value AsDeclared(Value value, const TypeInfo& type) {
  if (type.kind != TypeInfo::Kind::kOptional || value.is_optional() || value.empty()) return value;
  const DType dtype = value.is_tensor() ? value.tensor().dtype() : DType::kUndefined;
  return Optional{std::make_shared<const Value>(std::move(value)), dtype};
}

void RemoveValueFiles(const std::string& entry, const std::string& folder) {
  const EntryJson json = EntryJson::parse(entry, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) RemoveEntry(json, folder);
}

}  // namespace onnxcmp
