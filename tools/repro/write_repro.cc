#include "tools/repro/write_repro.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/causes/repro.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/model_proto.h"
#include "onnx/onnx_pb.h"
#include "record/base/write_file.h"
#include "record/recordings/recording.h"
#include "record/streams/fingerprint.h"
#include "tools/backend_tests/backend_test.h"
#include "tools/repro/repro_script.h"
#include "tools/repro/repro_text.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;

constexpr char kLeftModel[] = "left.onnx";
constexpr char kLeftRecording[] = "left.npz";
constexpr char kUnfinishedArchive[] = ".onnxcmp-";  // a folder of NpzWriter's
constexpr char kRightModel[] = "right.onnx";
constexpr char kTestModel[] = "model.onnx";
constexpr char kText[] = "cause.txt";
constexpr char kRewriteText[] = "rewrite.txt";
constexpr char kTolerances[] = "tolerances.json";
constexpr char kData[] = "test_data_set_0";
constexpr char kFailingNode[] = "failing_node";
// More causes than any user examines.
constexpr int kMostRepros = 50;

bool EndsInNumber(absl::string_view name, absl::string_view before) {
  return absl::ConsumePrefix(&name, before) && !name.empty() &&
         std::all_of(name.begin(), name.end(), absl::ascii_isdigit);
}

// "cause_3", "set_1_cause_3", "rewrite_2".
bool IsReproName(absl::string_view name) {
  if (name == kFailingNode) return true;
  if (name.substr(0, 4) == "set_") {
    name.remove_prefix(std::min(name.find('_', 4), name.size() - 1) + 1);
  }
  return EndsInNumber(name, "cause_") || EndsInNumber(name, "rewrite_");
}

bool IsDataFile(absl::string_view name) {
  return absl::ConsumeSuffix(&name, ".pb") &&
         (EndsInNumber(name, "input_") || EndsInNumber(name, "output_"));
}

// Content of a folder that we did not write, "" if there is none.
std::string ForeignIn(const fs::path& folder, bool (*ours)(absl::string_view)) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!ours(it->path().filename().string())) return it->path().string();
  }
  return error ? absl::StrCat(folder.string(), ": ", error.message()) : "";
}

// The file that was to be "left.onnx.4711.unfinished" before the program was killed; others as they
// are.
absl::string_view FinalName(absl::string_view name) {
  absl::string_view whole = name;
  if (!absl::ConsumeSuffix(&whole, ".unfinished")) return name;
  const size_t point = whole.rfind('.');
  return point != absl::string_view::npos && EndsInNumber(whole, whole.substr(0, point + 1))
             ? whole.substr(0, point)
             : name;
}

bool IsReproFile(absl::string_view name) {
  if (absl::StartsWith(name, kUnfinishedArchive)) return true;
  name = FinalName(name);
  for (const char* file : {kLeftModel, kLeftRecording, kRightModel, kTestModel, kText, kRewriteText,
                           kTolerances, kData, kReproScript, kReproArrays}) {
    if (name == file) return true;
  }
  return false;
}

// The reason not to write there, "" if there is none.
std::string Obstacle(const std::string& dir) {
  std::error_code error;
  const fs::file_status status = fs::status(dir, error);
  if (status.type() == fs::file_type::not_found) return "";
  if (status.type() != fs::file_type::directory) return absl::StrCat(dir, " is no folder");
  if (std::string foreign = ForeignIn(dir, IsReproName); !foreign.empty()) return foreign;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    if (std::string foreign = ForeignIn(it->path(), IsReproFile); !foreign.empty()) return foreign;
    const fs::path data = it->path() / kData;
    if (fs::exists(data, error)) {
      if (std::string foreign = ForeignIn(data, IsDataFile); !foreign.empty()) return foreign;
    }
    const fs::path arrays = it->path() / kReproArrays;
    if (!fs::exists(arrays, error)) continue;
    if (std::string foreign = ForeignIn(arrays, IsReproArray); !foreign.empty()) return foreign;
  }
  return "";
}

Feeds FeedsOf(const Repro& repro) {
  Feeds feeds;
  for (const ReproInput& input : repro.inputs) feeds[input.name] = input.value;
  return feeds;
}

// The message, if what is loaded from it gives that value. Null: it is another runtime's.
absl::StatusOr<onnx::ModelProto> Checked(const Model& model, const Repro& repro,
                                         const Value* wanted, const OpRegistry& registry,
                                         const ReproOptions& options) {
  onnx::ModelProto proto;
  OC_RETURN_IF_ERROR(ModelToProto(model, &proto));
  std::string bytes;
  if (!proto.SerializeToString(&bytes)) {
    return absl::ResourceExhaustedError("the model is over 2 GB");
  }
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> loaded,
                      LoadModelFromBytes(bytes, registry, options.load));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(loaded, registry, options.evaluator));
  if (wanted == nullptr) return proto;
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, evaluator.Run(FeedsOf(repro)));
  if (outputs.size() != 1 || ContentOf(outputs[0]) != ContentOf(*wanted)) {
    return absl::InternalError("by itself it gives other values than in its model");
  }
  return proto;
}

absl::Status WriteLeftRecording(const Repro& repro, const std::string& path) {
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<RecordingWriter> writer,
                      RecordingWriter::Create(path, /*outputs_only=*/false));
  std::optional<Value> unused;
  const auto add = [&](ResultKind kind, const std::string& name, const Value& value) {
    return writer->OnResult({.kind = kind, .name = name, .path = "", .value = value}, &unused);
  };
  for (const ReproInput& input : repro.inputs) {
    OC_RETURN_IF_ERROR(add(ResultKind::kInput, input.name, input.value));
  }
  OC_RETURN_IF_ERROR(add(ResultKind::kOutput, repro.left_name, repro.left_result));
  return writer->Finish();
}

// Writes one folder, but for the text. `what`: what it shows, in a line.
absl::Status Write(const Comparison& comparison, const Repro& repro, const std::string& what,
                   const std::string& folder, const OpRegistry& registry,
                   const ReproOptions& options) {
  OC_ASSIGN_OR_RETURN(
      const onnx::ModelProto right,
      Checked(*repro.right, repro,
              comparison.right_summary.ran_in.empty() ? &repro.right_result : nullptr, registry,
              options));
  std::optional<onnx::ModelProto> left;
  if (repro.left != nullptr) {
    OC_ASSIGN_OR_RETURN(
        left, Checked(*repro.left, repro,
                      comparison.left_summary.ran_in.empty() ? &repro.left_result : nullptr,
                      registry, options));
  }
  OC_RETURN_IF_ERROR(WriteBackendTest(folder, right, FeedsOf(repro), {repro.expected}));
  OC_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/", kRightModel), right.SerializeAsString()));
  if (left.has_value()) {
    OC_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/", kLeftModel), left->SerializeAsString()));
  } else {
    OC_RETURN_IF_ERROR(WriteLeftRecording(repro, absl::StrCat(folder, "/", kLeftRecording)));
  }
  const Tolerance tolerance = ReproTolerance(repro);
  const nlohmann::json tolerances = {
      {fs::path(folder).filename().string(), {{"rtol", tolerance.rtol}, {"atol", tolerance.atol}}}};
  OC_RETURN_IF_ERROR(
      WriteFile(absl::StrCat(folder, "/", kTolerances), absl::StrCat(tolerances.dump(), "\n")));
  return WriteReproScript(folder, repro, tolerance, comparison.right_summary.runtime, what);
}

absl::Status WriteCause(const Comparison& comparison, size_t cause, const std::string& folder,
                        const OpRegistry& registry, const ReproOptions& options) {
  OC_RETURN_IF_ERROR(Write(comparison, *comparison.causes[cause].repro,
                           comparison.causes[cause].text, folder, registry, options));
  return WriteFile(absl::StrCat(folder, "/", kText), ReproText(comparison, cause, folder));
}

}  // namespace

absl::Status WriteFailingNode(const std::string& dir, const Model& model, const Feeds& feeds,
                              const std::vector<Value>& outputs) {
  onnx::ModelProto proto;
  OC_RETURN_IF_ERROR(ModelToProto(model, &proto));
  return WriteBackendTest((fs::path(dir) / kFailingNode).string(), proto, feeds, outputs);
}

absl::Status CheckReproTarget(const std::string& dir) {
  const std::string obstacle = Obstacle(dir);
  if (obstacle.empty()) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("--repro ", OneLine(dir),
                   ": not overwritten, for it holds something else: ", OneLine(obstacle)));
}

absl::Status ClearReproTarget(const std::string& dir) {
  // Checked again, since time has passed.
  OC_RETURN_IF_ERROR(CheckReproTarget(dir));
  std::error_code error;
  if (!fs::exists(dir, error)) return absl::OkStatus();
  std::vector<fs::path> folders;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    folders.push_back(it->path());
  }
  for (const fs::path& folder : folders) {
    if (!error) fs::remove_all(folder, error);
  }
  return error ? absl::PermissionDeniedError(absl::StrCat(dir, ": ", error.message()))
               : absl::OkStatus();
}

absl::Status WriteRepros(const OpRegistry& registry, const ReproOptions& options,
                         Comparison* comparison) {
  int written = 0;
  for (size_t i = 0; i < comparison->causes.size(); ++i) {
    Cause& cause = comparison->causes[i];
    if (written == kMostRepros) {
      comparison->notes.push_back(
          absl::StrCat("repros were written of the first ", kMostRepros, " causes"));
      break;
    }
    if (cause.repro != nullptr) {
      const std::string folder =
          (fs::path(options.dir) / absl::StrCat(options.prefix, "cause_", i + 1)).string();
      const absl::Status status = WriteCause(*comparison, i, folder, registry, options);
      if (absl::IsPermissionDenied(status)) return status;
      if (status.ok()) {
        cause.repro_folder = folder;
        ++written;
        continue;
      }
      std::error_code ignored;
      fs::remove_all(folder, ignored);
      cause.no_repro = OneLine(status.message());
    }
    comparison->notes.push_back(
        absl::StrCat("no repro of cause ", i + 1,
                     cause.no_repro.empty() ? "" : absl::StrCat(": ", cause.no_repro)));
  }
  return absl::OkStatus();
}

absl::Status WriteRewrites(const OpRegistry& registry, const ReproOptions& options,
                           const Comparison& comparison, ProofReport* proof) {
  int number = 0;
  for (RewriteFault& fault : proof->rewrite_faults) {
    if (fault.repro == nullptr || number == kMostRepros) continue;
    const std::string folder =
        (fs::path(options.dir) / absl::StrCat(options.prefix, "rewrite_", number + 1)).string();
    const std::string what = absl::StrCat(fault.what, ": ", fault.counterexample);
    absl::Status status = Write(comparison, *fault.repro, what, folder, registry, options);
    if (status.ok()) {
      status = WriteFile(absl::StrCat(folder, "/", kRewriteText),
                         RewriteReproText(comparison, fault, folder));
    }
    if (absl::IsPermissionDenied(status)) return status;
    if (!status.ok()) {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
      continue;
    }
    fault.folder = folder;
    ++number;
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
