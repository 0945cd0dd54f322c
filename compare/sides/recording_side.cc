#include "compare/sides/recording_side.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/sides/model_side.h"
#include "compare/sides/recorded_precision.h"
#include "evaluator/base/status_macros.h"
#include "feed/type_text.h"
#include "record/differences/precision.h"
#include "record/recordings/npy.h"

namespace onnxcmp {
namespace {

int64_t BytesOf(const std::string& path) {
  std::error_code error;
  const auto size = [&error](const std::filesystem::path& file) {
    const auto bytes = std::filesystem::file_size(file, error);
    return error ? 0 : static_cast<int64_t>(bytes);
  };
  if (!std::filesystem::is_directory(path, error)) return size(path);
  int64_t bytes = 0;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file(error)) bytes += size(entry->path());
  }
  return bytes;
}

std::vector<RecordedSet> OneSet(std::unique_ptr<RecordedValues> values) {
  std::vector<RecordedSet> sets;
  sets.push_back({"", std::move(values)});
  return sets;
}

// True if a value is certainly of the type: an unknown or optional type proves nothing.
bool IsOfType(const Value& value, const TypeInfo& type) {
  return type.kind != TypeInfo::Kind::kUnknown && type.kind != TypeInfo::Kind::kOptional &&
         TypeConflict(value, type).empty();
}

// A value of the type that has the axes of `value` in another order, or an axis of one entry more:
// devices keep their inputs channels last, or without a batch.
std::optional<Value> TurnedTo(const TypeInfo& type, const Value& value) {
  if (!value.is_tensor()) return std::nullopt;
  for (const bool batch : {false, true}) {
    Shape shape = value.tensor().shape();
    if (batch) shape.insert(shape.begin(), 1);
    const auto rank = static_cast<int>(shape.size());
    std::vector<int> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    for (int places : {0, 1, rank - 2}) {
      if (places > 0 && rank < 3) continue;
      std::vector<int> turned = axes;
      if (places > 0) std::rotate(turned.begin() + 1, turned.begin() + 1 + places, turned.end());
      RecordedLayout layout;
      for (const int axis : turned) layout.shape.push_back(shape[static_cast<size_t>(axis)]);
      layout.axes = std::move(turned);
      absl::StatusOr<Value> laid_out = InLayout(Value(value.tensor().Reshaped(shape)), layout);
      if (laid_out.ok() && IsOfType(*laid_out, type)) return *std::move(laid_out);
    }
  }
  // Elements without their shape have the model's.
  Shape shape;
  for (const TypeInfo::Dim& dim : type.shape.value_or(std::vector<TypeInfo::Dim>())) {
    shape.push_back(dim.value.value_or(1));
  }
  const absl::StatusOr<Value> laid_out = InLayout(value, {{}, {}, shape});
  const bool fits = value.tensor().rank() < static_cast<int>(shape.size()) && laid_out.ok() &&
                    IsOfType(*laid_out, type);
  return fits ? std::optional(*laid_out) : std::nullopt;
}

StreamResult Describe(const RecordedResult& recorded, ResultKind kind, const Value& value) {
  StreamResult result;
  result.kind = kind;
  result.name = recorded.name;
  result.path = recorded.path;
  result.depth =
      static_cast<int>(std::clamp<int64_t>(recorded.depth, 0, std::numeric_limits<int>::max()));
  result.op_type = recorded.op_type;
  result.domain = recorded.domain;
  if (value.is_tensor()) {
    result.dtype = value.tensor().dtype();
    result.shape = value.tensor().shape();
  }
  result.type = value.TypeString();
  result.own_precision = PrecisionOf(value);
  result.precision = result.own_precision;
  return result;
}

}  // namespace

RecordingSide::RecordingSide(std::string source, std::unique_ptr<RecordedValues> values)
    : RecordingSide(std::move(source), OneSet(std::move(values))) {}

RecordingSide::RecordingSide(std::string source, std::vector<RecordedSet> sets)
    : sets_(std::move(sets)) {
  summary_.bytes = BytesOf(source);
  summary_.source = std::move(source);
  Choose(0);
}

void RecordingSide::ChooseSet(int64_t set) { Choose(static_cast<size_t>(set)); }

void RecordingSide::Choose(size_t set) {
  set_ = set;
  const std::vector<RecordedResult>& results = values().results();
  are_inputs_.assign(results.size(), false);
  shown_.clear();
  summary_.status = absl::OkStatus();
  summary_.notes = values().notes();
  summary_.initializers = std::count_if(results.begin(), results.end(), [](const auto& result) {
    return result.kind == ResultKind::kInitializer;
  });
}

absl::StatusOr<InputsOfRecording> RecordingSide::RecordedInputs(const Graph& model) {
  InputsOfRecording inputs;
  const std::vector<RecordedResult>& results = values().results();
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].kind != ResultKind::kInput) continue;
    OC_ASSIGN_OR_RETURN(RecordedValues::Read read, values().ReadValue(i));
    inputs.values.push_back({results[i].name, std::move(read.value), read.opaque});
  }
  inputs.all = !inputs.values.empty();
  if (inputs.all) return inputs;
  absl::flat_hash_map<absl::string_view, const ValueInfo*> wanted;
  for (const ValueInfo* input : RequiredInputs(model)) wanted.emplace(input->name, input);
  for (size_t i = 0; i < results.size(); ++i) {
    const auto it = wanted.find(results[i].name);
    if (it == wanted.end() || results[i].depth != 0) continue;
    const TypeInfo& type = it->second->type;
    OC_ASSIGN_OR_RETURN(RecordedValues::Read read, values().ReadValue(i));
    NamedValue value = {results[i].name, std::move(read.value), read.opaque};
    std::optional<Value> turned;
    if (!IsOfType(ValueFor(value, type), type)) turned = TurnedTo(type, value.value);
    if (turned.has_value()) {
      inputs.notes.push_back(absl::StrCat("`", value.name, "` was recorded as ",
                                          value.value.TypeString(),
                                          " and is fed in the model's layout"));
      value.value = *std::move(turned);
    }
    if (!IsOfType(ValueFor(value, type), type)) {
      inputs.notes.push_back(absl::StrCat("the recording's `", value.name, "` is ",
                                          value.value.TypeString(), ", the model's input is ",
                                          TypeText(type)));
      continue;
    }
    // An output that passes on an input stays an output.
    are_inputs_[i] = results[i].kind == ResultKind::kResult;
    inputs.values.push_back(std::move(value));
    wanted.erase(it);
  }
  return inputs;
}

absl::StatusOr<Value> RecordingSide::ReadResult(size_t i) {
  OC_ASSIGN_OR_RETURN(RecordedValues::Read read, values().ReadValue(i));
  // NumPy stores extension types without their name; bfloat16 is the one of two bytes.
  if (read.opaque && read.value.is_tensor() && BitWidth(read.value.tensor().dtype()) == 16) {
    return RestoreDType(read.value.tensor(), DType::kBfloat16);
  }
  return std::move(read.value);
}

// Reads everything in one step.
class RecordingSide::Reading : public RecordRun {
 public:
  Reading(RecordingSide* side, const RecordOptions& options, RecordVisitor visit)
      : side_(*side), options_(options), visit_(visit) {}
  bool Step() override {
    stream_ = side_.ReadAll(options_, visit_);
    return false;
  }
  ResultStream TakeStream() override { return std::move(stream_); }

 private:
  RecordingSide& side_;
  RecordOptions options_;
  RecordVisitor visit_;
  ResultStream stream_;
};

std::unique_ptr<RecordRun> RecordingSide::StartRecord(const RecordOptions& options,
                                                      RecordVisitor visit) {
  return std::make_unique<Reading>(this, options, visit);
}

ResultStream RecordingSide::ReadAll(const RecordOptions& options, RecordVisitor visit) {
  ResultStream stream;
  stream.source = summary_.source;
  stream.recorded = true;
  shown_.clear();
  layouts_.clear();
  summary_.status = absl::OkStatus();
  absl::flat_hash_map<std::string, int> main_graph;  // the last result of a name
  std::vector<RecordedRounding> rounded;             // by result
  const std::vector<RecordedResult>& results = values().results();
  for (size_t i = 0; i < results.size(); ++i) {
    const RecordedResult& recorded = results[i];
    if (recorded.depth > options.max_depth) continue;
    const absl::StatusOr<Value> read = ReadResult(i);
    if (!read.ok()) {
      summary_.status = read.status();
      break;
    }
    const Value& value = *read;
    const ResultKind kind = are_inputs_[i] ? ResultKind::kInput : recorded.kind;
    if (options.watcher != nullptr) {
      std::optional<Value> replacement;
      summary_.status = options.watcher->OnResult(
          {kind, recorded.name, nullptr, recorded.path, static_cast<int>(recorded.depth), value},
          &replacement);
      if (!summary_.status.ok()) break;
    }
    const int number = static_cast<int>(stream.results.size());
    StreamResult& result = stream.results.emplace_back(Describe(recorded, kind, value));
    result.fingerprint = options.cache != nullptr ? options.cache->Get(value, options.pool)
                                                  : FingerprintOf(value, {.pool = options.pool});
    // Its computation is unknown.
    result.computation = result.fingerprint.content.low;
    if (result.depth == 0 && result.kind != ResultKind::kOutput) {
      main_graph[result.name] = number;
    } else if (const auto it = main_graph.find(result.name);
               result.kind == ResultKind::kOutput && it != main_graph.end() &&
               stream.results[static_cast<size_t>(it->second)].fingerprint.content ==
                   result.fingerprint.content) {
      result.source = it->second;
    }
    shown_.push_back(i);
    rounded.push_back(RoundingOf(value));
    summary_.status = visit(number, result, value);
    if (!summary_.status.ok()) break;
  }
  TakePrecision(rounded, &stream);
  return stream;
}

absl::Status RecordingSide::Revisit(const std::vector<bool>& wanted, Observer* /*watcher*/,
                                    Visitor visit) {
  for (size_t i = 0; i < std::min(wanted.size(), shown_.size()); ++i) {
    if (!wanted[i]) continue;
    OC_ASSIGN_OR_RETURN(Value value, ReadResult(shown_[i]));
    if (const auto it = layouts_.find(static_cast<int>(i)); it != layouts_.end()) {
      OC_ASSIGN_OR_RETURN(value, InLayout(value, it->second));
    }
    OC_RETURN_IF_ERROR(visit(static_cast<int>(i), value));
  }
  return absl::OkStatus();
}

void RecordingSide::SetLayout(int result, RecordedLayout layout) {
  layouts_[result] = std::move(layout);
}

absl::StatusOr<std::unique_ptr<Side>> OpenSide(const std::string& path, const OpRegistry& registry,
                                               const LoadOptions& load,
                                               const EvaluatorOptions& options) {
  if (LooksLikeRecording(path)) {
    OC_ASSIGN_OR_RETURN(std::vector<RecordedSet> sets, OpenRecording(path, options.max_tensor));
    return std::make_unique<RecordingSide>(path, std::move(sets));
  }
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ModelSide> model,
                      ModelSide::Open(path, registry, load, options));
  if (!HoldsConstantsOnly(model->graph())) return model;
  OC_ASSIGN_OR_RETURN(std::unique_ptr<RecordedValues> values, ConstantsOf(*model->evaluator()));
  return std::make_unique<RecordingSide>(path, std::move(values));
}

}  // namespace onnxcmp
