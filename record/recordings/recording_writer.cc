#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/recording.h"
#include "record/recordings/recording_json.h"
#include "record/text/utf8.h"

namespace onnxcmp {
namespace {

// Longer names do not fit into a ZIP archive's 16 bits along with a suffix.
constexpr size_t kMaxName = 60000;

// The entry's name: unchanged if possible. Bytes that are not UTF-8, and NUL, which would end the
// name for every reader, become %XX.
std::string EntryName(absl::string_view name) {
  std::string safe;
  if (IsValidUtf8(name)) {
    for (const char c : name) {
      safe += c == '\0' ? "%00" : std::string(1, c);
    }
  } else {
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      safe += byte == 0 || byte >= 0x80 ? absl::StrFormat("%%%02X", byte) : std::string(1, c);
    }
  }
  if (safe.size() > kMaxName) {
    size_t end = kMaxName;
    while (end > 0 && (static_cast<unsigned char>(safe[end]) & 0xC0) == 0x80) {
      --end;  // not in the middle of a character
    }
    safe.resize(end);
  }
  return safe;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordingWriter>> RecordingWriter::Create(const std::string& path,
                                                                         bool outputs_only) {
  OC_ASSIGN_OR_RETURN(std::unique_ptr<NpzWriter> writer, NpzWriter::Create(path));
  return std::unique_ptr<RecordingWriter>(new RecordingWriter(std::move(writer), outputs_only));
}

absl::StatusOr<RecordedValue> RecordingWriter::AddTensor(const Tensor& tensor,
                                                         const std::string& name, int64_t depth,
                                                         bool whole) {
  RecordedValue recorded;
  if (!tensor.defined()) {
    return recorded;
  }
  recorded.type = RecordedValue::Type::kTensor;
  recorded.dtype = tensor.dtype();
  recorded.shape.assign(tensor.shape().begin(), tensor.shape().end());
  recorded.piece = pieces_.size();
  OC_ASSIGN_OR_RETURN(NpzWriter::Piece bytes, writer_->AddArray(tensor));
  pieces_.push_back({bytes, name, depth, whole});
  return recorded;
}

absl::StatusOr<RecordedValue> RecordingWriter::Add(const Value& value, const std::string& name,
                                                   int64_t depth, bool whole) {
  RecordedValue recorded;
  if (value.is_tensor()) {
    return AddTensor(value.tensor(), name, depth, whole);
  }
  const auto add_part = [&](const Value& part, absl::string_view label) -> absl::Status {
    OC_ASSIGN_OR_RETURN(RecordedValue added,
                        Add(part, absl::StrCat(name, "/", label), depth, /*whole=*/false));
    recorded.parts.push_back(std::move(added));
    return absl::OkStatus();
  };
  if (value.is_sequence()) {
    recorded.type = RecordedValue::Type::kSequence;
    recorded.dtype = value.sequence().element_dtype;
    for (const Value& element : value.sequence().elements) {
      OC_RETURN_IF_ERROR(add_part(element, absl::StrCat(recorded.parts.size())));
    }
  } else if (value.is_optional()) {
    recorded.type = RecordedValue::Type::kOptional;
    recorded.dtype = value.optional().element_dtype;
    if (value.optional().element != nullptr) {
      OC_RETURN_IF_ERROR(add_part(*value.optional().element, "0"));
    }
  } else if (value.is_map()) {
    recorded.type = RecordedValue::Type::kMap;
    OC_RETURN_IF_ERROR(add_part(value.map().keys, "keys"));
    OC_RETURN_IF_ERROR(
        add_part(value.map().values == nullptr ? Value() : *value.map().values, "values"));
  } else if (value.is_sparse()) {
    recorded.type = RecordedValue::Type::kSparseTensor;
    recorded.shape.assign(value.sparse().dims.begin(), value.sparse().dims.end());
    OC_RETURN_IF_ERROR(add_part(value.sparse().values, "values"));
    OC_RETURN_IF_ERROR(add_part(value.sparse().indices, "indices"));
  }
  return recorded;
}

absl::Status RecordingWriter::OnResult(const Result& result,
                                       std::optional<Value>* /*replacement*/) {
  if (outputs_only_ && result.kind != ResultKind::kOutput) {
    return absl::OkStatus();
  }
  Item item;
  item.result.kind = result.kind;
  item.result.name = std::string(result.name);
  item.result.path = std::string(result.path);
  item.result.depth = result.depth;
  if (result.node != nullptr) {
    item.result.op_type = result.node->op_type;
    item.result.domain = result.node->domain;
    item.result.node = result.node->name;
  }
  // A name of the main graph has one value, so an output has already been written.
  item.value = values_.size();
  if (result.depth == 0) {
    const auto [it, added] = main_graph_.try_emplace(item.result.name, values_.size());
    item.value = it->second;
    if (!added) {
      items_.push_back(std::move(item));
      return absl::OkStatus();
    }
  }
  const std::string wanted = result.depth == 0 || result.path.empty()
                                 ? item.result.name
                                 : absl::StrCat(result.path, "/", result.name);
  OC_ASSIGN_OR_RETURN(RecordedValue value, Add(result.value, wanted, result.depth, true));
  values_.push_back(std::move(value));
  items_.push_back(std::move(item));
  return absl::OkStatus();
}

// Results of the main graph get their names first, then their parts, then those of subgraphs. Later
// ones of a name get a number.
std::vector<std::string> RecordingWriter::NamePieces() const {
  const auto rank = [this](size_t i) {
    return pieces_[i].depth > 0 ? 2 : pieces_[i].whole ? 0 : 1;
  };
  std::vector<size_t> order(pieces_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank(a) < rank(b); });
  std::vector<std::string> names(pieces_.size());
  absl::flat_hash_set<std::string> taken;
  absl::flat_hash_map<std::string, int> next;  // suffix to try
  for (const size_t i : order) {
    const std::string name = EntryName(pieces_[i].wanted);
    std::string candidate = name;
    while (!taken.insert(candidate).second) {
      candidate = absl::StrCat(name, "#", ++next.try_emplace(name, 1).first->second);
    }
    names[i] = std::move(candidate);
  }
  return names;
}

absl::Status RecordingWriter::Finish() {
  const std::vector<std::string> names = NamePieces();
  std::vector<DescribedResult> described;
  described.reserve(items_.size());
  for (const Item& item : items_) {
    described.push_back({item.result, values_[item.value]});
  }
  std::vector<NpzWriter::Entry> entries;
  entries.reserve(pieces_.size() + 1);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    entries.push_back({absl::StrCat(names[i], ".npy"), pieces_[i].bytes});
  }
  OC_ASSIGN_OR_RETURN(NpzWriter::Piece json, writer_->AddText(RecordingToJson(described, names)));
  entries.push_back({kRecordingEntry, json});
  return writer_->Finish(entries);
}

}  // namespace onnxcmp
