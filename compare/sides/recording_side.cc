#include "compare/sides/recording_side.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "compare/differences/precision.h"
#include "compare/files/npy.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

enum class Form : uint8_t { kModel, kArchive, kValueFiles, kSafetensors };

// Files are told by their first bytes; the suffix decides for those that are damaged.
Form FormOf(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return Form::kValueFiles;
  std::array<char, 9> head = {};
  std::streamsize size = 0;
  if (std::filesystem::is_regular_file(path, error)) {
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), head.size());
    size = file.gcount();
  }
  const absl::string_view bytes(head.data(), static_cast<size_t>(size));
  if (absl::StartsWith(bytes, "PK\x03\x04") || absl::StartsWith(bytes, "PK\x05\x06") ||
      absl::EndsWith(path, ".npz")) {
    return Form::kArchive;
  }
  if (absl::StartsWith(bytes, "\x93NUMPY") || absl::EndsWith(path, ".npy")) {
    return Form::kValueFiles;
  }
  // A header of less than 2^32 bytes that is a JSON object.
  if (absl::EndsWith(path, ".safetensors") ||
      (bytes.size() == head.size() && bytes.substr(4, 4) == absl::string_view("\0\0\0\0", 4) &&
       bytes[8] == '{')) {
    return Form::kSafetensors;
  }
  return Form::kModel;
}

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

absl::StatusOr<std::unique_ptr<RecordedValues>> OpenValues(Form form, const std::string& path,
                                                           int64_t max_tensor) {
  switch (form) {
    case Form::kArchive:
      return OpenArchive(path, max_tensor);
    case Form::kValueFiles:
      return OpenValueFiles(path, max_tensor);
    case Form::kSafetensors:
      return OpenSafetensors(path);
    case Form::kModel:
      break;
  }
  return absl::InternalError("a model is no recording");
}

StreamResult Describe(const RecordedResult& recorded, const Value& value) {
  StreamResult result;
  result.kind = recorded.kind;
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

// The coarser type that all of a tensor's floats are exact in: a hook saves bfloat16 as float, which
// NumPy has. kUndefined: none.
DType RoundedTo(const Value& value) {
  constexpr uint32_t kBeyondBfloat16 = 0xFFFF;
  constexpr uint32_t kBeyondFloat16 = 0x1FFF;
  constexpr float kGreatestHalf = 65504;
  constexpr float kLeastHalf = 0x1p-24F;
  if (!value.is_tensor() || value.tensor().dtype() != DType::kFloat) return DType::kUndefined;
  const absl::StatusOr<Tensor> tensor = value.tensor().Contiguous();
  if (!tensor.ok()) return DType::kUndefined;
  uint32_t bits = 0;
  bool half = true;
  for (const float x : tensor->AsSpan<float>()) {
    bits |= std::bit_cast<uint32_t>(x);
    if ((bits & kBeyondFloat16) != 0) return DType::kUndefined;
    half = half && (x == 0 || (std::abs(x) <= kGreatestHalf && std::abs(x) >= kLeastHalf));
  }
  return (bits & kBeyondBfloat16) == 0 ? DType::kBfloat16
         : half                        ? DType::kFloat16
                                       : DType::kUndefined;
}

// Results that were rounded to a coarser type are as precise as that, if most are: numbers that say
// something are so by no accident.
void TakePrecision(const std::vector<DType>& rounded, ResultStream* stream) {
  constexpr double kMost = 0.8;
  constexpr int64_t kEnough = 32;
  for (const DType type : {DType::kBfloat16, DType::kFloat16}) {
    int all = 0;
    int so = 0;
    int64_t elements = 0;
    for (size_t r = 0; r < rounded.size(); ++r) {
      const StreamResult& result = stream->results[r];
      if (result.kind == ResultKind::kInput || result.dtype != DType::kFloat ||
          !result.fingerprint.rich) {
        continue;
      }
      ++all;
      if (rounded[r] != type) continue;
      ++so;
      elements += result.fingerprint.size;
    }
    if (so == 0 || so < kMost * all || elements < kEnough) continue;
    for (size_t r = 0; r < rounded.size(); ++r) {
      if (rounded[r] != type) continue;
      stream->results[r].own_precision = stream->results[r].precision = type;
    }
    return;
  }
}

}  // namespace

RecordingSide::RecordingSide(std::string source, std::unique_ptr<RecordedValues> values)
    : values_(std::move(values)) {
  summary_.bytes = BytesOf(source);
  summary_.source = std::move(source);
  summary_.notes = values_->notes();
  summary_.initializers =
      std::count_if(values_->results().begin(), values_->results().end(),
                    [](const auto& result) { return result.kind == ResultKind::kInitializer; });
}

absl::StatusOr<std::vector<NamedValue>> RecordingSide::RecordedInputs() {
  std::vector<NamedValue> inputs;
  const std::vector<RecordedResult>& results = values_->results();
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].kind != ResultKind::kInput) continue;
    OC_ASSIGN_OR_RETURN(RecordedValues::Read read, values_->ReadValue(i));
    inputs.push_back({results[i].name, std::move(read.value), read.opaque});
  }
  return inputs;
}

absl::StatusOr<Value> RecordingSide::ReadResult(size_t i) {
  OC_ASSIGN_OR_RETURN(RecordedValues::Read read, values_->ReadValue(i));
  // NumPy's extension types are stored without their name, and bfloat16 is the one of two bytes.
  if (read.opaque && read.value.is_tensor() && BitWidth(read.value.tensor().dtype()) == 16) {
    return RestoreDType(read.value.tensor(), DType::kBfloat16);
  }
  return std::move(read.value);
}

// One step reads all.
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
  std::vector<DType> rounded;  // by result
  const std::vector<RecordedResult>& results = values_->results();
  for (size_t i = 0; i < results.size(); ++i) {
    const RecordedResult& recorded = results[i];
    if (recorded.depth > options.max_depth) continue;
    const absl::StatusOr<Value> read = ReadResult(i);
    if (!read.ok()) {
      summary_.status = read.status();
      break;
    }
    const Value& value = *read;
    if (options.watcher != nullptr) {
      std::optional<Value> replacement;
      summary_.status =
          options.watcher->OnResult({recorded.kind, recorded.name, nullptr, recorded.path,
                                     static_cast<int>(recorded.depth), value},
                                    &replacement);
      if (!summary_.status.ok()) break;
    }
    const int number = static_cast<int>(stream.results.size());
    StreamResult& result = stream.results.emplace_back(Describe(recorded, value));
    result.fingerprint = options.cache != nullptr ? options.cache->Get(value, options.pool)
                                                  : FingerprintOf(value, {.pool = options.pool});
    // Nothing is known of how it was computed.
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
    rounded.push_back(RoundedTo(value));
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

bool LooksLikeRecording(const std::string& path) { return FormOf(path) != Form::kModel; }

absl::StatusOr<std::unique_ptr<Side>> OpenSide(const std::string& path, const OpRegistry& registry,
                                               const LoadOptions& load,
                                               const EvaluatorOptions& options) {
  if (const Form form = FormOf(path); form != Form::kModel) {
    OC_ASSIGN_OR_RETURN(std::unique_ptr<RecordedValues> values,
                        OpenValues(form, path, options.max_tensor));
    return std::make_unique<RecordingSide>(path, std::move(values));
  }
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ModelSide> model,
                      ModelSide::Open(path, registry, load, options));
  if (!HoldsConstantsOnly(model->graph())) return model;
  OC_ASSIGN_OR_RETURN(std::unique_ptr<RecordedValues> values, ConstantsOf(*model->evaluator()));
  return std::make_unique<RecordingSide>(path, std::move(values));
}

}  // namespace onnxcmp
