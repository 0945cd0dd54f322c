#include "cli/generate/open_decoder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "cli/process/free_memory.h"
#include "cli/process/messages.h"
#include "compare/sides/recording_side.h"
#include "compare/sides/runtime_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "feed/feeds.h"
#include "generate/given_values.h"
#include "generate/state_pairs.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp::cli {
namespace {

// Names of files in a folder, in the order in which they run; the first row counts whose last file
// exists. A merged decoder comes first, as it does for those who run it.
struct FolderFiles {
  const char* prompt;
  const char* steps;
};
constexpr FolderFiles kFolderFiles[] = {
    {nullptr, "decoder_model_merged.onnx"},
    {"decoder_model.onnx", "decoder_with_past_model.onnx"},
    {nullptr, "decoder_model.onnx"},
    {nullptr, "model.onnx"},
};
constexpr char kGenaiFile[] = "genai_config.json";
// Keys of its member model.decoder.inputs, and the roles that the inputs named there have.
constexpr std::pair<const char*, const char*> kGenaiRoles[] = {
    {"input_ids", "tokens"},
    {"attention_mask", "mask"},
    {"position_ids", "positions"},
    {"total_sequence_length", "total_length"},
};
constexpr char kEncoderFile[] = "encoder_model.onnx";

bool IsFile(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// The member model.decoder of a folder for onnxruntime-genai; null if it has none.
nlohmann::json GenaiDecoder(const std::filesystem::path& folder) {
  std::ifstream file(folder / kGenaiFile);
  const nlohmann::json read = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!read.is_object() || !read.contains("model")) return nullptr;
  const nlohmann::json& model = read["model"];
  if (!model.is_object() || !model.contains("decoder")) return nullptr;
  return model["decoder"];
}

// The roles that it says, as FindRoles() takes them.
std::vector<std::string> GenaiRoles(const nlohmann::json& decoder) {
  std::vector<std::string> roles;
  if (!decoder.is_object() || !decoder.contains("inputs")) return roles;
  const nlohmann::json& inputs = decoder["inputs"];
  for (const auto& [key, role] : kGenaiRoles) {
    if (!inputs.is_object() || !inputs.contains(key) || !inputs[key].is_string()) continue;
    roles.push_back(absl::StrCat(inputs[key].get<std::string>(), "=", role));
  }
  return roles;
}

// Values of inputs that stay the same, as a file has them.
absl::StatusOr<Feeds> FixedInputs(const std::string& path) {
  Feeds fixed;
  if (path.empty()) return fixed;
  OC_ASSIGN_OR_RETURN(FeedFile file, FeedFile::Open(path));
  for (size_t i = 0; i < file.size(); ++i) {
    OC_ASSIGN_OR_RETURN(NamedValue read, file.Read(i));
    fixed[read.name] = std::move(read.value);
  }
  return fixed;
}

// The input that a correction names: PAST of PAST=PRESENT, or NAME of NAME=ROLE.
absl::string_view CorrectedInput(absl::string_view text, bool state) {
  return text.substr(0, state ? text.find('=') : text.rfind('='));
}

std::vector<std::string> CorrectionsOf(const Graph& graph, const std::vector<std::string>& all,
                                       bool states) {
  std::vector<std::string> own;
  for (const std::string& text : all) {
    if (FindValueInfo(graph.inputs, CorrectedInput(text, states)) != nullptr) own.push_back(text);
  }
  return own;
}

const Graph& GraphOf(const Side& side) { return side.evaluator()->model().graph; }

// Takes a model's weights into memory, unless they need more than half of what is free: each node
// reads its own then, in every step.
void HoldWeights(const Graph& graph, std::vector<Tensor>* held) {
  std::vector<const Tensor*> stored;
  int64_t bytes = 0;
  for (const Initializer& initializer : graph.initializers) {
    if (!initializer.value.is_tensor() || !initializer.value.tensor().stored()) continue;
    stored.push_back(&initializer.value.tensor());
    bytes += stored.back()->byte_size();
  }
  if (bytes > FreeMemory() / 2) return;
  for (const Tensor* weights : stored) {
    absl::StatusOr<Tensor> in_memory = weights->InMemory(/*pool=*/nullptr);
    if (in_memory.ok()) held->push_back(*std::move(in_memory));
  }
}

// True for a decoder that takes an encoder's states.
bool TakesEncoder(const Graph& graph, const DecoderRoles& roles) {
  return std::any_of(roles.inputs.begin(), roles.inputs.end(),
                     [&](const DecoderRoles::Input& input) {
                       return input.role == Role::kGiven &&
                              IsFloatingPoint(FindValueInfo(graph.inputs, input.name)->type.dtype);
                     });
}

// Values that a decoder takes of an encoder; `fixed`: those that a user gives, of both.
absl::StatusOr<Feeds> GivenByEncoder(Side& encoder, const Graph& graph, const DecoderRoles& roles,
                                     int64_t rows, const Feeds& fixed) {
  OC_ASSIGN_OR_RETURN(const Decoder::RunModel run, RunnerOf(encoder));
  const Graph& of_encoder = GraphOf(encoder);
  OC_ASSIGN_OR_RETURN(const Feeds feeds, EncoderFeeds(of_encoder, rows, fixed));
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, run(feeds));
  Feeds values = EncoderValues(of_encoder, feeds, outputs);
  for (const auto& [name, value] : fixed) values[name] = value;
  return GivenAsOn(graph, roles, values);
}

}  // namespace

std::vector<std::string> DecoderFiles(const std::string& path) {
  std::error_code error;
  if (IsFile(path)) return {path};
  if (!std::filesystem::is_directory(path, error)) return absl::StrSplit(path, '+');
  const std::filesystem::path folder = path;
  if (const nlohmann::json genai = GenaiDecoder(folder);
      genai.is_object() && genai.contains("filename") && genai["filename"].is_string()) {
    return {(folder / genai["filename"].get<std::string>()).string()};
  }
  for (const FolderFiles& row : kFolderFiles) {
    if (!IsFile(folder / row.steps)) continue;
    if (row.prompt != nullptr && !IsFile(folder / row.prompt)) continue;
    std::vector<std::string> files;
    if (IsFile(folder / kEncoderFile)) files.push_back((folder / kEncoderFile).string());
    if (row.prompt != nullptr) files.push_back((folder / row.prompt).string());
    files.push_back((folder / row.steps).string());
    return files;
  }
  return {path};
}

bool IsRecordingOfSteps(const std::string& path) {
  const std::vector<std::string> files = DecoderFiles(path);
  return files.size() == 1 && LooksLikeRecording(files.front());
}

absl::StatusOr<std::unique_ptr<Side>> DecoderOpener::OpenModel(const std::string& path) const {
  LoadOptions load = arguments_.run.load();
  load.weights = tools_.weights;
  EvaluatorOptions running = arguments_.run.evaluator();
  running.spare_memory = tools_.spare;
  OC_ASSIGN_OR_RETURN(std::unique_ptr<Side> side, OpenSide(path, tools_.registry, load, running));
  if (side->evaluator() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is a recording: only models can take steps"));
  }
  return side;
}

absl::StatusOr<DecoderRoles> DecoderOpener::RolesOf(const Graph& graph,
                                                    std::vector<std::string> roles) const {
  // A user comes last, and has the last word.
  roles.insert(roles.end(), options_.roles.begin(), options_.roles.end());
  return FindRoles(graph, CorrectionsOf(graph, options_.states, /*states=*/true),
                   CorrectionsOf(graph, roles, /*states=*/false));
}

absl::StatusOr<std::unique_ptr<Decoder>> DecoderOpener::MakeDecoder(
    SideId id, DecoderRoles roles, const Feeds& given, std::unique_ptr<Side>* side) const {
  const Graph& graph = GraphOf(**side);
  if (const std::string& name = arguments_.runtimes.names[id]; !name.empty()) {
    OC_ASSIGN_OR_RETURN(std::shared_ptr<Runtime> runtime,
                        arguments_.runtimes.Open(name, arguments_.run.evaluator().max_tensor));
    OC_ASSIGN_OR_RETURN(*side, RuntimeSide::Create(std::move(*side), std::move(runtime)));
  }
  OC_ASSIGN_OR_RETURN(Decoder::RunModel run, RunnerOf(**side));
  return std::make_unique<Decoder>(graph, std::move(roles), std::move(run), given);
}

absl::StatusOr<DecoderOpener::Models> DecoderOpener::OpenModels(const std::string& path) {
  const std::vector<std::string> files = DecoderFiles(path);
  Models models;
  OC_ASSIGN_OR_RETURN(models.steps, OpenModel(files.back()));
  const Graph& graph = GraphOf(*models.steps);
  OC_ASSIGN_OR_RETURN(models.of_steps, RolesOf(graph, GenaiRoles(GenaiDecoder(path))));
  absl::Status no_prompt;  // why the last file does not read the prompt
  for (size_t i = 0; i + 1 < files.size(); ++i) {
    OC_ASSIGN_OR_RETURN(std::unique_ptr<Side> side, OpenModel(files[i]));
    absl::StatusOr<DecoderRoles> found = RolesOf(GraphOf(*side), {});
    if (found.ok()) {
      absl::StatusOr<std::vector<StatePair>> handed =
          PairWithPrompt(GraphOf(*side), found->logits, graph, models.of_steps);
      if (handed.ok()) {
        found->hands_on = *std::move(handed);
      } else {
        found = handed.status();
      }
    }
    std::unique_ptr<Side>& place = found.ok() ? models.prompt : models.encoder;
    if (place != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, " has to be ENCODER+PROMPT+STEPS, or two of them; ", files[i],
          found.ok() ? " reads the prompt, too" : absl::StrCat(": ", found.status().message())));
    }
    place = std::move(side);
    if (found.ok()) {
      models.of_prompt = *std::move(found);
    } else {
      no_prompt = absl::InvalidArgumentError(
          absl::StrCat(files[i], " neither reads the prompt for ", files.back(),
                       " nor is an encoder for it: ", found.status().message()));
    }
  }
  for (StatePair& state : models.of_steps.states) state.handed = models.prompt != nullptr;
  const bool takes = models.prompt != nullptr
                         ? TakesEncoder(GraphOf(*models.prompt), models.of_prompt)
                         : TakesEncoder(graph, models.of_steps);
  if (models.encoder != nullptr && !takes) return no_prompt;
  return models;
}

absl::StatusOr<OpenDecoder> DecoderOpener::Open(SideId id, const std::string& path, int64_t rows,
                                                const Feeds* like) {
  OC_ASSIGN_OR_RETURN(Models models, OpenModels(path));
  for (const std::unique_ptr<Side>* side : {&models.prompt, &models.steps}) {
    if (*side == nullptr) continue;
    for (const ValueInfo& input : GraphOf(**side).inputs) inputs_.insert(input.name);
  }
  OC_ASSIGN_OR_RETURN(Feeds fixed, FixedInputs(options_.inputs));
  const bool apart = models.prompt != nullptr;
  const Graph& steps = GraphOf(*models.steps);
  // The first model that runs is the one that takes what an encoder gives.
  const Graph& first = apart ? GraphOf(*models.prompt) : steps;
  const DecoderRoles& of_first = apart ? models.of_prompt : models.of_steps;
  if (like != nullptr && options_.inputs.empty()) {
    OC_ASSIGN_OR_RETURN(fixed, GivenAsOn(first, of_first, *like));
  } else if (models.encoder != nullptr) {
    OC_ASSIGN_OR_RETURN(fixed, GivenByEncoder(*models.encoder, first, of_first, rows, fixed));
  }
  OpenDecoder open;
  OC_ASSIGN_OR_RETURN(open.given, GivenValues(first, of_first, rows, fixed));
  if (apart) {
    OC_ASSIGN_OR_RETURN(open.prompt_decoder,
                        MakeDecoder(id, std::move(models.of_prompt), open.given, &models.prompt));
    open.prompt_side = std::move(models.prompt);
    for (const auto& [name, value] : open.given) fixed.try_emplace(name, value);
    OC_ASSIGN_OR_RETURN(fixed, GivenAsOn(steps, models.of_steps, fixed));
    OC_ASSIGN_OR_RETURN(fixed, GivenValues(steps, models.of_steps, rows, fixed));
  } else {
    fixed = open.given;
  }
  OC_ASSIGN_OR_RETURN(open.decoder,
                      MakeDecoder(id, std::move(models.of_steps), fixed, &models.steps));
  open.side = std::move(models.steps);
  if (arguments_.runtimes.names[id].empty()) {
    HoldWeights(steps, &open.weights);
    if (apart) HoldWeights(first, &open.weights);
  }
  for (auto& [name, value] : fixed) open.given.try_emplace(name, std::move(value));
  return open;
}

absl::StatusOr<OpenDecoder> DecoderOpener::OpenRecorded(const std::string& path,
                                                        const OpenDecoder& beside) const {
  OC_ASSIGN_OR_RETURN(std::vector<RecordedSet> sets,
                      OpenRecording(path, arguments_.run.evaluator().max_tensor));
  auto recording = std::make_unique<RecordingSide>(path, std::move(sets));
  const Decoder& model =
      beside.prompt_decoder != nullptr ? *beside.prompt_decoder : *beside.decoder;
  OpenDecoder open;
  OC_ASSIGN_OR_RETURN(RecordedSteps steps,
                      FindRecordedSteps(*recording, model.graph(), model.roles()));
  open.recorded = std::make_unique<RecordedSteps>(std::move(steps));
  open.decoder = std::make_unique<Decoder>(open.recorded->graph, open.recorded->roles,
                                           RunnerOf(*recording, *open.recorded), Feeds());
  open.side = std::move(recording);
  return open;
}

absl::StatusOr<PerSide<OpenDecoder>> DecoderOpener::OpenBoth(const PerSide<std::string>& paths,
                                                             int64_t rows) {
  PerSide<OpenDecoder> open;
  const PerSide<bool> recorded = {IsRecordingOfSteps(paths.left), IsRecordingOfSteps(paths.right)};
  if (recorded.left && recorded.right) {
    return absl::InvalidArgumentError(
        absl::StrCat(paths.left, " and ", paths.right,
                     " are recordings: one side has to be a model that takes the steps"));
  }
  for (const SideId side : kBothSides) {
    if (recorded[side]) continue;
    absl::StatusOr<OpenDecoder> opened =
        Open(side, paths[side], rows,
             side == SideId::kRight && !recorded.left ? &open.left.given : nullptr);
    if (!opened.ok()) return ErrorOf(side, opened.status());
    open[side] = *std::move(opened);
  }
  for (const SideId side : kBothSides) {
    if (!recorded[side]) continue;
    if (!arguments_.runtimes.names[side].empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(paths[side], " is a recording, which no runtime can run"));
    }
    absl::StatusOr<OpenDecoder> opened = OpenRecorded(paths[side], open[Other(side)]);
    if (!opened.ok()) return ErrorOf(side, opened.status());
    open[side] = *std::move(opened);
  }
  return open;
}

absl::Status DecoderOpener::CheckCorrections() const {
  for (const bool state : {true, false}) {
    for (const std::string& text : state ? options_.states : options_.roles) {
      const absl::string_view name = CorrectedInput(text, state);
      if (inputs_.contains(name)) continue;
      return absl::InvalidArgumentError(absl::StrCat(state ? "--state " : "--role ", text,
                                                     ": no model has an input `", name, "`"));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp::cli
