#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/parts/given_model.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "evaluator/base/status_macros.h"
#include "record/text/meant_name.h"
#include "tools/backend_tests/backend_test.h"
#include "tools/parts/checked_model.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part.h"

namespace onnxcmp::cli {
namespace {

struct ExtractArguments {
  GivenModel model;
  std::string from;
  std::string to;
  std::string output;
  bool constants = false;
  bool as_function = false;
};

// Names of results, or of nodes, which stand for all that they make.
absl::StatusOr<std::vector<std::string>> ResultsMeant(const std::string& given,
                                                      const KnownModel& known,
                                                      const std::string& path) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known.values) names.push_back(name);
  std::vector<std::string> meant;
  for (const absl::string_view name : absl::StrSplit(given, ',', absl::SkipWhitespace())) {
    if (known.values.contains(name)) {
      meant.emplace_back(name);
      continue;
    }
    bool is_node = false;
    for (const auto& node : known.proto->graph().node()) {
      if (node.name() != name) continue;
      is_node = true;
      for (const std::string& result : node.output()) {
        if (!result.empty()) meant.push_back(result);
      }
    }
    if (is_node) continue;
    OC_ASSIGN_OR_RETURN(std::string found,
                        MeantName(name, names, absl::StrCat("results of ", path)));
    meant.push_back(std::move(found));
  }
  return meant;
}

// The folder of a new test: nothing else may be in it.
absl::Status CheckPartFolder(const std::string& folder) {
  std::error_code error;
  if (folder.ends_with(".onnx") && !std::filesystem::is_directory(folder, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("-o ", folder, ": the part becomes a folder with model.onnx and its data"));
  }
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name != "model.onnx" && name != "test_data_set_0") {
      return absl::AlreadyExistsError(
          absl::StrCat(folder, " has other files, such as ", name, ": name a new folder"));
    }
  }
  std::filesystem::remove_all(folder + "/test_data_set_0", error);
  return absl::OkStatus();
}

absl::StatusOr<std::string> WritePart(const ExtractArguments& arguments, const KnownModel& known,
                                      const OpRegistry& registry, const PartChoice& choice,
                                      const std::string& folder) {
  OC_ASSIGN_OR_RETURN(FedModel part, MakePart(known, choice));
  TypeOutputs(registry, known.values, &part.proto);
  OC_RETURN_IF_ERROR(CheckModel(registry, ChecksPassedBy(registry, *known.proto), part.proto));
  if (arguments.as_function) {
    const std::string name = std::filesystem::path(folder).filename().string();
    OC_ASSIGN_OR_RETURN(part.proto, AsFunction(part.proto, name.empty() ? "part" : name));
  }
  std::vector<Value> outputs;
  std::vector<std::string> inputs, results;
  for (const auto& output : part.proto.graph().output()) {
    const auto value = known.values.find(output.name());
    if (value == known.values.end()) {
      return absl::InternalError(absl::StrCat("no value of ", output.name()));
    }
    outputs.push_back(value->second);
    results.push_back(absl::StrCat(output.name(), " ", value->second.TypeString()));
  }
  for (const auto& input : part.proto.graph().input()) {
    const auto feed = part.feeds.find(input.name());
    if (feed == part.feeds.end()) continue;
    inputs.push_back(absl::StrCat(input.name(), " ", feed->second.TypeString()));
  }
  OC_RETURN_IF_ERROR(CheckPartFolder(folder));
  OC_RETURN_IF_ERROR(WriteBackendTest(folder, part.proto, part.feeds, outputs));
  return absl::StrCat(folder, ": ", choice.nodes.size(), " of ", known.node_count(), " nodes\n",
                      "  inputs   ", inputs.empty() ? "none" : absl::StrJoin(inputs, ", "), "\n",
                      "  outputs  ", absl::StrJoin(results, ", "), "\n");
}

absl::StatusOr<std::string> Extract(const ExtractArguments& arguments) {
  const GivenModel& given = arguments.model;
  ExpectModels({given.path});
  const OpRegistry registry = given.run.operators();
  OC_ASSIGN_OR_RETURN(FedModel model, given.Read(registry));
  OC_ASSIGN_OR_RETURN(
      const KnownModel known,
      RunKnownModel(std::make_shared<onnx::ModelProto>(std::move(model.proto)),
                    std::move(model.feeds), registry, {given.load(), given.run.evaluator()}));
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> from,
                      ResultsMeant(arguments.from, known, given.path));
  OC_ASSIGN_OR_RETURN(std::vector<std::string> to, ResultsMeant(arguments.to, known, given.path));
  if (to.empty()) {
    for (const auto& output : known.proto->graph().output()) to.push_back(output.name());
  }
  PartChoice choice;
  choice.constants = arguments.constants;
  choice.outputs = to;
  OC_ASSIGN_OR_RETURN(choice.nodes, NodesBetween(known, from, to));
  return WritePart(arguments, known, registry, choice, arguments.output);
}

absl::Status CheckExtractArguments(const ExtractArguments& arguments) {
  if (arguments.model.path.empty() || arguments.output.empty() ||
      (arguments.from.empty() && arguments.to.empty())) {
    return absl::InvalidArgumentError(
        "a model, a folder and --from or --to are needed: onnxcmp extract MODEL --from A,B --to C "
        "-o PART; see onnxcmp extract --help");
  }
  return absl::OkStatus();
}

}  // namespace

int ExtractCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  ExtractArguments arguments;
  CLI::App app(
      "Cuts a part out of a model: the nodes that compute --to from --from, as a model of\n"
      "their own, with the values that they have in a run of the whole model as inputs and\n"
      "expected outputs. The part is a folder as ONNX's backend tests have it.\n"
      "\n"
      "  onnxcmp extract m.onnx --from layer_3 --to layer_4 -o part\n"
      "  onnxcmp extract m.onnx --inputs x.npz --to softmax_7 -o before_softmax\n"
      "\n"
      "Exit status 0: done, 2: an error.",
      "onnxcmp extract");
  SetUsage(app, "onnxcmp extract [OPTIONS] MODEL --from A,B --to C -o PART");
  app.add_option("MODEL", arguments.model.path, "The model: .onnx, or .onnxtxt as text")
      ->type_name(" ");
  app.add_option("--from", arguments.from,
                 "Results where the part begins; where a way goes around them, it begins at the "
                 "model's inputs (none)")
      ->type_name("NAMES");
  app.add_option("--to", arguments.to, "Results where it ends (the model's outputs)")
      ->type_name("NAMES");
  app.add_option("-o,--output", arguments.output, "The folder that is written")->type_name("PART");
  app.add_flag("--constants", arguments.constants,
               "What it reads from outside is constant, and no input");
  app.add_flag("--as-function", arguments.as_function,
               "Its nodes are a local function, which the model calls");
  arguments.model.AddTo(app);
  if (const std::optional<int> status = Parse(app, command_line, interruption)) return *status;
  if (const absl::Status status = CheckExtractArguments(arguments); !status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  const absl::StatusOr<std::string> summary = Extract(arguments);
  if (!summary.ok()) {
    PrintError(summary.status().message());
    return kFailed;
  }
  return PrintOutput(*summary) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
