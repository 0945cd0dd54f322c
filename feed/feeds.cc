#include "feed/feeds.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/tensor/dense.h"
#include "feed/type_text.h"
#include "record/recordings/npy.h"
#include "record/recordings/recording.h"
#include "record/recordings/value_message.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

std::string ListValues(absl::Span<const NamedValue> values) {
  return absl::StrJoin(values, ", ", [](std::string* out, const NamedValue& value) {
    absl::StrAppend(out, value.name, " ", value.value.TypeString());
  });
}

std::string ListInputs(const std::vector<const ValueInfo*>& inputs) {
  return absl::StrJoin(inputs, ", ", [](std::string* out, const ValueInfo* input) {
    absl::StrAppend(out, input->name, " ", TypeText(input->type));
  });
}

// An error that lists both sides.
absl::Status NoMatch(absl::string_view what, absl::Span<const NamedValue> values,
                     const std::vector<const ValueInfo*>& inputs, const std::string& source) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, "; the model takes: ", ListInputs(inputs), "; ", source,
                   values.empty() ? " has nothing" : absl::StrCat(" has: ", ListValues(values))));
}

// Gives values[i] to inputs[i]. False if that is not possible.
bool MatchInOrder(const std::vector<const NamedValue*>& values,
                  const std::vector<const ValueInfo*>& inputs, Feeds* feeds) {
  if (values.size() != inputs.size()) {
    return false;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!TypeConflict(ValueFor(*values[i], inputs[i]->type), inputs[i]->type).empty()) {
      return false;
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    (*feeds)[inputs[i]->name] = ValueFor(*values[i], inputs[i]->type);
  }
  return true;
}

std::string PositionNote(const std::vector<const NamedValue*>& values,
                         const std::vector<const ValueInfo*>& inputs) {
  std::vector<std::string> pairs;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]->name != inputs[i]->name) {
      pairs.push_back(absl::StrCat(values[i]->name, " to ", inputs[i]->name));
    }
  }
  return absl::StrCat("inputs matched by position: ", absl::StrJoin(pairs, ", "));
}

// Joins the parts of a sparse tensor, if they have the right types and every index is inside.
absl::StatusOr<Value> SparseOf(const std::string& name, const Tensor& values, const Value& indices,
                               const Value& dims) {
  const auto malformed = [&name]() {
    return absl::InvalidArgumentError(
        absl::StrCat(name, "/values, ", name, "/indices and ", name, "/dims are no sparse tensor"));
  };
  const auto is_ints = [](const Value& value) {
    return value.is_tensor() && value.tensor().dtype() == DType::kInt64;
  };
  if (!is_ints(indices) || !is_ints(dims) || dims.tensor().rank() != 1) return malformed();
  OC_ASSIGN_OR_RETURN(const Tensor shape, dims.tensor().Contiguous());
  const absl::Span<const int64_t> sizes = shape.AsSpan<int64_t>();
  SparseTensor sparse = {values, indices.tensor(), Shape(sizes.begin(), sizes.end())};
  OC_RETURN_IF_ERROR(SparsePositions(sparse).status());
  return Value(std::move(sparse));
}

// True for a folder with files named as in ONNX's test data, or an empty one: a model may take no
// inputs.
bool IsTestData(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return false;
  bool empty = true;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    absl::string_view number = name;
    if ((absl::ConsumePrefix(&number, "input_") || absl::ConsumePrefix(&number, "output_")) &&
        absl::ConsumeSuffix(&number, ".pb") && !number.empty() &&
        std::all_of(number.begin(), number.end(), absl::ascii_isdigit)) {
      return true;
    }
    empty = false;
  }
  return empty;
}

// Joins the parts of a map of scalars.
absl::StatusOr<Value> MapOf(const std::string& name, const Tensor& values, const Value& keys) {
  const auto is_key = [](DType dtype) { return dtype == DType::kString || IsInteger(dtype); };
  if (!keys.is_tensor() || !is_key(keys.tensor().dtype()) || keys.tensor().rank() != 1 ||
      values.rank() != 1 || values.num_elements() != keys.tensor().num_elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, "/keys and ", name, "/values are no map of scalars"));
  }
  return Value(Map{keys.tensor(), std::make_shared<const Value>(values)});
}

}  // namespace

Value ValueFor(const NamedValue& candidate, const TypeInfo& type) {
  if (candidate.opaque && type.kind == TypeInfo::Kind::kTensor) {
    if (absl::StatusOr<Tensor> typed = RestoreDType(candidate.value.tensor(), type.dtype);
        typed.ok()) {
      return *std::move(typed);
    }
  }
  return candidate.value;
}

const ValueInfo* FindValueInfo(absl::Span<const ValueInfo> values, absl::string_view name) {
  for (const ValueInfo& value : values) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

std::vector<const ValueInfo*> RequiredInputs(const Graph& graph) {
  // There are fewer inputs than initializers.
  absl::flat_hash_set<absl::string_view> required;
  for (const ValueInfo& input : graph.inputs) required.insert(input.name);
  for (const Initializer& initializer : graph.initializers) required.erase(initializer.name);
  std::vector<const ValueInfo*> inputs;
  for (const ValueInfo& input : graph.inputs) {
    if (required.contains(input.name)) {
      inputs.push_back(&input);
    }
  }
  return inputs;
}

std::vector<const ValueInfo*> WithoutValue(const Graph& graph, const Feeds& feeds) {
  std::vector<const ValueInfo*> without = RequiredInputs(graph);
  std::erase_if(without, [&](const ValueInfo* input) { return feeds.contains(input->name); });
  return without;
}

std::vector<const ValueInfo*> InputsOfFiles(const Graph& graph, size_t count) {
  std::vector<const ValueInfo*> inputs = RequiredInputs(graph);
  if (inputs.size() == count) return inputs;
  inputs.clear();
  for (const ValueInfo& input : graph.inputs) inputs.push_back(&input);
  return inputs;
}

absl::Status UnusedValues(absl::Span<const std::string> names, const std::string& source,
                          bool partial, std::vector<std::string>* notes) {
  if (names.empty()) return absl::OkStatus();
  std::vector<std::string> shown(names.begin(), names.end());
  CutList(&shown, 8);
  const std::string text =
      absl::StrCat("no input takes ", absl::StrJoin(shown, ", "), " of ", source);
  if (!partial) return absl::InvalidArgumentError(absl::StrCat(text, "; --partial accepts that"));
  notes->push_back(text);
  return absl::OkStatus();
}

absl::StatusOr<MatchedFeeds> MatchFeeds(absl::Span<const NamedValue> values, const Graph& graph,
                                        const std::string& source, bool partial) {
  absl::flat_hash_map<absl::string_view, const ValueInfo*> inputs;
  for (const ValueInfo& input : graph.inputs) {
    inputs.emplace(input.name, &input);
  }
  const std::vector<const ValueInfo*> required = RequiredInputs(graph);
  MatchedFeeds matched;
  std::vector<const NamedValue*> values_left;
  for (const NamedValue& value : values) {
    const auto it = inputs.find(value.name);
    if (it == inputs.end()) {
      values_left.push_back(&value);
      continue;
    }
    Value typed = ValueFor(value, it->second->type);
    if (const std::string conflict = TypeConflict(typed, it->second->type); !conflict.empty()) {
      return NoMatch(absl::StrCat("input ", value.name, " has another ", conflict), values,
                     required, source);
    }
    matched.feeds[value.name] = std::move(typed);
  }
  std::vector<const ValueInfo*> inputs_left;
  std::copy_if(required.begin(), required.end(), std::back_inserter(inputs_left),
               [&](const ValueInfo* input) { return !matched.feeds.contains(input->name); });
  if (inputs_left.empty()) {
    std::vector<std::string> unused;
    for (const NamedValue* value : values_left) unused.push_back(value->name);
    OC_RETURN_IF_ERROR(UnusedValues(unused, source, partial, &matched.notes));
    return matched;
  }
  if (!MatchInOrder(values_left, inputs_left, &matched.feeds)) {
    return NoMatch(absl::StrCat("no value for input ", inputs_left[0]->name), values, required,
                   source);
  }
  matched.notes.push_back(PositionNote(values_left, inputs_left));
  return matched;
}

absl::StatusOr<MatchedFeeds> MatchFeedsByPosition(absl::Span<const NamedValue> values,
                                                  const Graph& graph, const std::string& source) {
  const std::vector<const ValueInfo*> required = RequiredInputs(graph);
  std::vector<const NamedValue*> all;
  bool same_names = values.size() == required.size();
  for (const NamedValue& value : values) {
    same_names = same_names && value.name == required[all.size()]->name;
    all.push_back(&value);
  }
  MatchedFeeds matched;
  if (!MatchInOrder(all, required, &matched.feeds)) {
    return MatchFeeds(values, graph, source, /*partial=*/true);
  }
  if (!same_names) {
    matched.notes.push_back(PositionNote(all, required));
  }
  return matched;
}

absl::StatusOr<FeedFile> FeedFile::Open(const std::string& path, int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(std::vector<FeedFile> sets, OpenSets(path, max_tensor));
  if (sets.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": it holds ", sets.size(), " sets of inputs, where one is wanted"));
  }
  return std::move(sets[0]);
}

absl::StatusOr<std::vector<FeedFile>> FeedFile::OpenSets(const std::string& path,
                                                         int64_t max_tensor) {
  std::vector<FeedFile> files;
  if (IsTestData(path)) {
    files.emplace_back().path_ = path;
    return files;
  }
  OC_ASSIGN_OR_RETURN(std::vector<RecordedSet> sets, OpenRecording(path, max_tensor));
  for (RecordedSet& set : sets) {
    files.push_back(Of(path, std::move(set)));
  }
  return files;
}

FeedFile FeedFile::Of(const std::string& source, RecordedSet set) {
  FeedFile file;
  file.path_ = source;
  file.set_ = set.name;
  file.TakeEntries(std::move(set));
  return file;
}

// A recording of a whole run has many values that are no inputs.
void FeedFile::TakeEntries(RecordedSet set) {
  const std::vector<RecordedResult>& results = set.values->results();
  const bool has_inputs =
      std::any_of(results.begin(), results.end(),
                  [](const RecordedResult& result) { return result.kind == ResultKind::kInput; });
  absl::flat_hash_set<absl::string_view> names;
  for (size_t i = 0; i < results.size(); ++i) {
    const bool wanted = has_inputs ? results[i].kind == ResultKind::kInput : results[i].depth == 0;
    if (wanted && names.insert(results[i].name).second) {
      Entry& entry = entries_.emplace_back();
      entry.index = i;
      entry.value.name = results[i].name;
    }
  }
  if (!set.values->described()) JoinParts();
  archive_ = std::move(set.values);
}

void FeedFile::JoinParts() {
  absl::flat_hash_map<std::string, size_t> numbers;
  for (size_t i = 0; i < entries_.size(); ++i) numbers.emplace(name(i), i);
  absl::flat_hash_set<size_t> parts;
  for (size_t i = 0; i < entries_.size(); ++i) {
    absl::string_view base = name(i);
    if (!absl::ConsumeSuffix(&base, "/values") || numbers.contains(base)) continue;
    const std::string name(base);
    const auto keys = numbers.find(absl::StrCat(name, "/keys"));
    const auto indices = numbers.find(absl::StrCat(name, "/indices"));
    const auto dims = numbers.find(absl::StrCat(name, "/dims"));
    if (keys != numbers.end()) {
      entries_[i].keys = entries_[keys->second].index;
      parts.insert(keys->second);
    } else if (indices != numbers.end() && dims != numbers.end()) {
      entries_[i].sparse = {entries_[indices->second].index, entries_[dims->second].index};
      parts.insert({indices->second, dims->second});
    } else {
      continue;
    }
    entries_[i].value.name = name;
  }
  std::vector<Entry> left;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!parts.contains(i)) left.push_back(std::move(entries_[i]));
  }
  entries_ = std::move(left);
}

absl::StatusOr<MatchedFeeds> FeedFile::FeedsFor(const Graph& graph, bool partial) {
  return archive_ == nullptr ? FromFolder(graph) : FromArchive(graph, partial);
}

absl::StatusOr<NamedValue> FeedFile::Read(size_t i) {
  Entry& entry = entries_[i];
  if (!entry.read) {
    OC_ASSIGN_OR_RETURN(RecordedValues::Read read, archive_->ReadValue(entry.index));
    if (entry.sparse.has_value() && read.value.is_tensor()) {
      OC_ASSIGN_OR_RETURN(RecordedValues::Read indices, archive_->ReadValue(entry.sparse->first));
      OC_ASSIGN_OR_RETURN(RecordedValues::Read dims, archive_->ReadValue(entry.sparse->second));
      OC_ASSIGN_OR_RETURN(
          read.value, SparseOf(entry.value.name, read.value.tensor(), indices.value, dims.value));
    }
    if (entry.keys.has_value() && read.value.is_tensor()) {
      OC_ASSIGN_OR_RETURN(RecordedValues::Read keys, archive_->ReadValue(*entry.keys));
      OC_ASSIGN_OR_RETURN(read.value, MapOf(entry.value.name, read.value.tensor(), keys.value));
    }
    entry.value.value = std::move(read.value);
    entry.value.opaque = read.opaque;
    entry.read = true;
  }
  return entry.value;
}

std::string FeedFile::FileName(size_t i) const { return absl::StrCat(path_, "/input_", i, ".pb"); }

absl::StatusOr<size_t> FeedFile::CountFiles() const {
  std::error_code error;
  size_t count = 0;
  size_t last = 0;
  for (std::filesystem::directory_iterator it(path_, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    absl::string_view number = name;
    size_t n = 0;
    if (absl::ConsumePrefix(&number, "input_") && absl::ConsumeSuffix(&number, ".pb") &&
        absl::SimpleAtoi(number, &n)) {
      ++count;
      last = std::max(last, n);
    }
  }
  if (error) return absl::NotFoundError(absl::StrCat(path_, ": ", error.message()));
  if (count == 0 || last + 1 == count) return count;
  for (size_t i = 0; i < last; ++i) {
    if (!std::filesystem::exists(FileName(i), error)) {
      return absl::InvalidArgumentError(absl::StrCat(FileName(i), " is missing"));
    }
  }
  return count;
}

absl::StatusOr<std::vector<std::string>> FeedFile::NamesInFiles() const {
  OC_ASSIGN_OR_RETURN(const size_t count, CountFiles());
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    absl::StatusOr<std::string> name = NameInValueFile(FileName(i));
    names.push_back(name.ok() ? *std::move(name) : "");
  }
  return names;
}

absl::StatusOr<Value> FeedFile::ReadFile(size_t i, const TypeInfo& type) const {
  absl::StatusOr<Value> value = ReadValueFile(FileName(i), type);
  if (value.ok()) return value;
  return absl::Status(value.status().code(),
                      absl::StrCat(FileName(i), ": ", value.status().message()));
}

absl::StatusOr<Feeds> FeedFile::ReadFolder(const Graph& graph) const {
  OC_ASSIGN_OR_RETURN(const size_t count, CountFiles());
  if (count > graph.inputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        FileName(graph.inputs.size()), ": the model has only ", graph.inputs.size(), " inputs"));
  }
  const std::vector<const ValueInfo*> inputs = InputsOfFiles(graph, count);
  Feeds feeds;
  for (size_t i = 0; i < count; ++i) {
    OC_ASSIGN_OR_RETURN(feeds[inputs[i]->name], ReadFile(i, inputs[i]->type));
  }
  return feeds;
}

absl::StatusOr<MatchedFeeds> FeedFile::FromFolder(const Graph& graph) const {
  MatchedFeeds matched;
  OC_ASSIGN_OR_RETURN(matched.feeds, ReadFolder(graph));
  for (const ValueInfo* input : RequiredInputs(graph)) {
    if (!matched.feeds.contains(input->name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("no value for input ", input->name,
                       "; the model takes: ", ListInputs(RequiredInputs(graph)), "; the folder ",
                       path_, " has ", matched.feeds.size(), " files input_N.pb"));
    }
  }
  return matched;
}

absl::StatusOr<MatchedFeeds> FeedFile::FromArchive(const Graph& graph, bool partial) {
  absl::flat_hash_set<absl::string_view> inputs;
  for (const ValueInfo& input : graph.inputs) {
    inputs.insert(input.name);
  }
  absl::flat_hash_set<absl::string_view> names;
  for (const Entry& entry : entries_) {
    names.insert(entry.value.name);
  }
  const std::vector<const ValueInfo*> required = RequiredInputs(graph);
  const bool by_name = std::all_of(required.begin(), required.end(), [&](const ValueInfo* input) {
    return names.contains(input->name);
  });
  // If names suffice, the rest is not read.
  std::vector<NamedValue> values;
  std::vector<std::string> unused;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (by_name && !inputs.contains(name(i))) {
      unused.push_back(name(i));
      continue;
    }
    OC_ASSIGN_OR_RETURN(NamedValue value, Read(i));
    values.push_back(std::move(value));
  }
  OC_ASSIGN_OR_RETURN(MatchedFeeds matched, MatchFeeds(values, graph, path_, partial));
  OC_RETURN_IF_ERROR(UnusedValues(unused, path_, partial, &matched.notes));
  return matched;
}

}  // namespace onnxcmp
