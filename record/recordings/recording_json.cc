#include "record/recordings/recording_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/version.h"

namespace onnxcmp {
namespace {

// Sequences of sequences are the deepest types; deeper nesting is no recording of ours.
constexpr int kMaxNesting = 64;

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "onnxcmp recording";
constexpr int kRecordingVersion = 1;

constexpr std::array<const char*, 6> kTypeNames = {"absent",   "tensor", "sequence",
                                                   "optional", "map",    "sparse_tensor"};
constexpr std::array<ResultKind, 4> kKinds = {ResultKind::kInitializer, ResultKind::kInput,
                                              ResultKind::kResult, ResultKind::kOutput};

Json ValueToJson(const RecordedValue& value, const std::vector<std::string>& names) {
  Json json = {{"type", kTypeNames[static_cast<size_t>(value.type)]}};
  const auto part = [&](size_t i) { return ValueToJson(value.parts[i], names); };
  if (value.dtype != DType::kUndefined) {
    json["dtype"] = std::string(DTypeName(value.dtype));
  }
  switch (value.type) {
    case RecordedValue::Type::kAbsent:
      break;
    case RecordedValue::Type::kTensor:
      json["shape"] = value.shape;
      json["entry"] = names[value.piece];
      break;
    case RecordedValue::Type::kSequence:
    case RecordedValue::Type::kOptional:
      json["elements"] = Json::array();
      for (size_t i = 0; i < value.parts.size(); ++i) {
        json["elements"].push_back(part(i));
      }
      break;
    case RecordedValue::Type::kMap:
      json["keys"] = part(0);
      json["values"] = part(1);
      break;
    case RecordedValue::Type::kSparseTensor:
      json["shape"] = value.shape;
      json["values"] = part(0);
      json["indices"] = part(1);
      break;
  }
  return json;
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(kRecordingEntry, ": ", what));
}

// A member of a type, or null.
const Json* Member(const Json& json, const char* name, Json::value_t type) {
  const auto it = json.find(name);
  if (it == json.end()) {
    return nullptr;
  }
  const bool integer = type == Json::value_t::number_integer && it->is_number_integer();
  return integer || it->type() == type ? &*it : nullptr;
}

std::string Text(const Json& json, const char* name) {
  const Json* member = Member(json, name, Json::value_t::string);
  return member == nullptr ? "" : member->get<std::string>();
}

class Parser {
 public:
  explicit Parser(absl::FunctionRef<std::optional<size_t>(absl::string_view)> find) : find_(find) {}

  absl::StatusOr<RecordedValue> Value(const Json& json, int depth) {
    if (!json.is_object() || depth > kMaxNesting) {
      return Malformed("a value is not described");
    }
    RecordedValue value;
    const std::string type = Text(json, "type");
    const auto* name = std::find(kTypeNames.begin(), kTypeNames.end(), type);
    if (name == kTypeNames.end()) {
      return Malformed(absl::StrCat("unknown type '", type, "'"));
    }
    value.type = static_cast<RecordedValue::Type>(name - kTypeNames.begin());
    if (const std::string dtype = Text(json, "dtype"); !dtype.empty()) {
      const std::optional<DType> known = DTypeFromName(dtype);
      if (!known.has_value()) {
        return Malformed(absl::StrCat("unknown element type '", dtype, "'"));
      }
      value.dtype = *known;
    }
    switch (value.type) {
      case RecordedValue::Type::kAbsent:
        break;
      case RecordedValue::Type::kTensor:
        OC_RETURN_IF_ERROR(TensorEntry(json, &value));
        break;
      case RecordedValue::Type::kSequence:
      case RecordedValue::Type::kOptional: {
        const Json* elements = Member(json, "elements", Json::value_t::array);
        if (elements == nullptr ||
            (value.type == RecordedValue::Type::kOptional && elements->size() > 1)) {
          return Malformed("a sequence or an optional has no elements");
        }
        for (const Json& element : *elements) {
          OC_RETURN_IF_ERROR(Part(&element, depth, &value));
        }
        break;
      }
      case RecordedValue::Type::kMap:
        OC_RETURN_IF_ERROR(Part(Member(json, "keys", Json::value_t::object), depth, &value));
        OC_RETURN_IF_ERROR(Part(Member(json, "values", Json::value_t::object), depth, &value));
        if (value.parts[0].type != RecordedValue::Type::kTensor) {
          return Malformed("a map's keys are not a tensor");
        }
        break;
      case RecordedValue::Type::kSparseTensor:
        OC_ASSIGN_OR_RETURN(value.shape, ShapeOf(json));
        OC_RETURN_IF_ERROR(Part(Member(json, "values", Json::value_t::object), depth, &value));
        OC_RETURN_IF_ERROR(Part(Member(json, "indices", Json::value_t::object), depth, &value));
        for (const RecordedValue& part : value.parts) {
          if (part.type != RecordedValue::Type::kTensor) {
            return Malformed("a sparse tensor's parts are not tensors");
          }
        }
        break;
    }
    return value;
  }

 private:
  absl::Status Part(const Json* json, int depth, RecordedValue* value) {
    if (json == nullptr) {
      return Malformed("a part of a value is missing");
    }
    OC_ASSIGN_OR_RETURN(RecordedValue part, Value(*json, depth + 1));
    value->parts.push_back(std::move(part));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<int64_t>> ShapeOf(const Json& json) {
    const Json* sizes = Member(json, "shape", Json::value_t::array);
    if (sizes == nullptr) {
      return Malformed("a tensor has no shape");
    }
    std::vector<int64_t> shape;
    for (const Json& size : *sizes) {
      if (!size.is_number_integer()) {
        return Malformed("a dimension is no number");
      }
      shape.push_back(size.get<int64_t>());
    }
    if (!NumElements(shape).has_value()) {
      return Malformed("a shape is impossible");
    }
    return shape;
  }

  absl::Status TensorEntry(const Json& json, RecordedValue* value) {
    OC_ASSIGN_OR_RETURN(value->shape, ShapeOf(json));
    if (value->dtype == DType::kUndefined) {
      return Malformed("a tensor has no dtype");
    }
    const std::string name = Text(json, "entry");
    const std::optional<size_t> entry = find_(name);
    if (!entry.has_value()) {
      return Malformed(absl::StrCat("there is no entry '", name, "'"));
    }
    value->piece = *entry;
    return absl::OkStatus();
  }

  absl::FunctionRef<std::optional<size_t>(absl::string_view)> find_;
};

}  // namespace

std::string RecordingToJson(const std::vector<DescribedResult>& results,
                            const std::vector<std::string>& names) {
  // A line for each result, for human readers and grep. Names that are not UTF-8 are repaired
  // rather than refused.
  const auto dump = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = absl::StrCat(
      "{\"format\": ", dump(kFormat), ", \"version\": ", kRecordingVersion,
      ", \"producer\": ", dump(absl::StrCat("onnxcmp ", kVersion)), ", \"results\": [");
  for (size_t i = 0; i < results.size(); ++i) {
    const RecordedResult& result = results[i].result;
    Json item = {{"kind", std::string(ResultKindName(result.kind))}, {"name", result.name}};
    if (result.kind == ResultKind::kResult) {
      item["op_type"] = result.op_type;
      item["domain"] = result.domain;
      item["node"] = result.node;
    }
    item["path"] = result.path;
    item["depth"] = result.depth;
    item["value"] = ValueToJson(results[i].value, names);
    absl::StrAppend(&text, i == 0 ? "\n" : ",\n", dump(item));
  }
  return absl::StrCat(text, "\n]}\n");
}

absl::StatusOr<std::vector<DescribedResult>> RecordingFromJson(
    absl::string_view text, absl::FunctionRef<std::optional<size_t>(absl::string_view name)> find) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || Text(json, "format") != kFormat) {
    return Malformed("it does not describe a recording");
  }
  const Json* version = Member(json, "version", Json::value_t::number_integer);
  if (version == nullptr || *version != kRecordingVersion) {
    return absl::UnimplementedError(
        absl::StrCat(kRecordingEntry, ": a version of the format that is not ", kRecordingVersion));
  }
  const Json* items = Member(json, "results", Json::value_t::array);
  if (items == nullptr) {
    return Malformed("there are no results");
  }
  Parser parser(find);
  std::vector<DescribedResult> results;
  for (const Json& item : *items) {
    DescribedResult& described = results.emplace_back();
    RecordedResult& result = described.result;
    const std::string kind = item.is_object() ? Text(item, "kind") : "";
    const auto* known = std::find_if(kKinds.begin(), kKinds.end(), [&](ResultKind candidate) {
      return ResultKindName(candidate) == absl::string_view(kind);
    });
    if (known == kKinds.end()) {
      return Malformed(absl::StrCat("unknown kind '", kind, "' of a result"));
    }
    result.kind = *known;
    result.name = Text(item, "name");
    result.op_type = Text(item, "op_type");
    result.domain = Text(item, "domain");
    result.node = Text(item, "node");
    result.path = Text(item, "path");
    if (const Json* depth = Member(item, "depth", Json::value_t::number_integer)) {
      result.depth = depth->get<int64_t>();
    }
    const Json* value = Member(item, "value", Json::value_t::object);
    if (value == nullptr) {
      return Malformed(absl::StrCat("result '", result.name, "' has no value"));
    }
    OC_ASSIGN_OR_RETURN(described.value, parser.Value(*value, 0));
  }
  return results;
}

}  // namespace onnxcmp
