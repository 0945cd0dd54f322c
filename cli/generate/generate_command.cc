#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/compare_flags.h"
#include "cli/generate/generate_arguments.h"
#include "cli/generate/open_decoder.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "evaluator/base/status_macros.h"
#include "generate/decoder_side.h"
#include "generate/direction.h"
#include "generate/generation.h"
#include "generate/invariants.h"
#include "generate/render_generation.h"
#include "generate/trials.h"

namespace onnxcmp::cli {
namespace {

absl::StatusOr<int> RunInvariants(const GenerateArguments& arguments, Interruption& interruption) {
  DecoderOpener opener(arguments.compare, arguments.decoders, interruption);
  OC_ASSIGN_OR_RETURN(const OpenDecoder one,
                      opener.Open(SideId::kLeft, arguments.compare.left, kInvariantRows, nullptr));
  OC_RETURN_IF_ERROR(opener.CheckCorrections());
  if (one.prompt_side != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("--invariants is for one model, and ", arguments.compare.left,
                     " is two of them: onnxcmp generate PROMPT PROMPT+STEPS compares these"));
  }
  const TokenDirection::Kind kind = arguments.causal    ? TokenDirection::Kind::kDecoder
                                    : arguments.encoder ? TokenDirection::Kind::kEncoder
                                                        : TokenDirection::Kind::kUnknown;
  OC_ASSIGN_OR_RETURN(const Invariants invariants,
                      TryInvariants(one.both(), arguments.compare.run.seed.value_or(1), kind));
  const auto render = [&](const std::string& format) {
    return format == "json"       ? RenderInvariantsJson(invariants)
           : format == "junit"    ? RenderInvariantsJunit(invariants)
           : format == "markdown" ? RenderInvariantsMarkdown(invariants)
                                  : RenderInvariants(invariants, LookOf(arguments.compare));
  };
  OC_RETURN_IF_ERROR(WriteReports(arguments, render));
  return PrintOutput(render(arguments.compare.format)) ? invariants.ExitStatus() : kFailed;
}

absl::StatusOr<int> RunSteps(const GenerateArguments& arguments, Interruption& interruption) {
  OC_ASSIGN_OR_RETURN(GenerateOptions options, StepOptions(arguments));
  const auto rows = static_cast<int64_t>(std::max<size_t>(options.prompts.size(), 1));
  DecoderOpener opener(arguments.compare, arguments.decoders, interruption);
  OC_ASSIGN_OR_RETURN(const PerSide<OpenDecoder> open,
                      opener.OpenBoth({arguments.compare.left, arguments.compare.right}, rows));
  const PerSide<DecoderSide> sides = {open.left.both(), open.right.both()};
  OC_RETURN_IF_ERROR(opener.CheckCorrections());
  if (arguments.compare.runtimes.any()) options.compare.max_depth = 0;
  const Generation generation = Generate(sides, options);
  const auto render = [&](const std::string& format) {
    return format == "json"       ? RenderGenerationJson(generation)
           : format == "junit"    ? RenderGenerationJunit(generation)
           : format == "markdown" ? RenderGenerationMarkdown(generation)
                                  : RenderGeneration(generation, LookOf(arguments.compare));
  };
  OC_RETURN_IF_ERROR(WriteReports(arguments, render));
  OC_RETURN_IF_ERROR(WritePage(arguments, generation));
  const std::string& format = arguments.compare.format;
  if (!generation.status.ok() && (generation.steps.empty() || format != "table")) {
    PrintError(generation.status.message());
    if (generation.comparison == nullptr && format == "table") return kFailed;
  }
  return PrintOutput(render(format)) ? generation.ExitStatus() : kFailed;
}

absl::Status CheckGenerate(GenerateArguments* arguments) {
  CompareArguments& compare = arguments->compare;
  compare.runtimes.names[arguments->invariants ? SideId::kLeft : SideId::kRight] =
      arguments->against;
  if (arguments->invariants) {
    if (!compare.right.empty()) {
      return absl::InvalidArgumentError("--invariants is for one model");
    }
    if (arguments->causal && arguments->encoder) {
      return absl::InvalidArgumentError("--causal and --encoder exclude each other");
    }
    if (!arguments->html.empty()) {
      return absl::InvalidArgumentError("--html shows two models, and --invariants is for one");
    }
    return absl::OkStatus();
  }
  if (compare.right.empty() && !arguments->against.empty()) compare.right = compare.left;
  if (compare.right.empty()) {
    return absl::InvalidArgumentError(
        "two models are needed: onnxcmp generate LEFT RIGHT; one alone takes --invariants, or "
        "--against R");
  }
  return absl::OkStatus();
}

void AddGenerateOptions(CLI::App& app, GenerateArguments& arguments) {
  app.add_option("LEFT", arguments.compare.left, "A model, PROMPT+STEPS, or a folder")
      ->type_name(" ")
      ->required();
  app.add_option("RIGHT", arguments.compare.right, "The other model")->type_name(" ");
  app.add_flag("--invariants", arguments.invariants, "Try what holds of any decoder, on one model");
  app.add_flag("--causal", arguments.causal, "  with it: a model without states is a decoder");
  app.add_flag("--encoder", arguments.encoder, "  with it: it is an encoder");
  AddStepOptions(app, arguments);
  app.add_option("--against", arguments.against, "Run the right side, or MODEL, in a runtime")
      ->type_name("R[:K=V,...]");
  AddReportOptions(app, arguments);
}

class GenerateApp {
 public:
  // The arguments must outlive the object.
  explicit GenerateApp(GenerateArguments* arguments)
      : arguments_(*arguments),
        app_(
            "Runs two decoders step by step on the same tokens, with caches or without, and\n"
            "compares the logits of each step; the first step that fails is shown as a\n"
            "table, with its causes. --invariants tries one model against itself.\n"
            "Exit status 0: all steps agree, 1: one differs, 2: they could not be compared.",
            "onnxcmp generate"),
        flags_(&arguments->compare) {
    SetUsage(app_, "onnxcmp generate [OPTIONS] LEFT RIGHT");
    AddGenerateOptions(app_, arguments_);
    flags_.AddTolerances(app_);
    flags_.AddVerdict(app_);
    flags_.AddTable(app_);
    arguments_.compare.runtimes.AddLimits(app_);
    flags_.AddRunning(app_);
  }

  CLI::App& app() { return app_; }

  // Called after the command line was parsed.
  absl::Status Finish() {
    OC_RETURN_IF_ERROR(flags_.Finish());
    OC_RETURN_IF_ERROR(CheckGenerate(&arguments_));
    return CheckWrittenFiles(arguments_, {arguments_.compare.left, arguments_.compare.right});
  }

 private:
  GenerateArguments& arguments_;
  CLI::App app_;
  CompareFlags flags_;
};

}  // namespace

absl::Status CheckGenerateLine(const std::vector<std::string>& command_line) {
  GenerateArguments arguments;
  GenerateApp app(&arguments);
  OC_RETURN_IF_ERROR(ParseQuietly(app.app(), command_line));
  OC_RETURN_IF_ERROR(app.Finish());
  const bool reports =
      std::any_of(arguments.files.begin(), arguments.files.end(),
                  [](const auto& format_and_path) { return !format_and_path.second.empty(); });
  if (reports || !arguments.html.empty() || arguments.compare.format != "table") {
    return absl::InvalidArgumentError(
        "reports are those of the batch: --format, --html, --json and their like are not for a "
        "pair");
  }
  if (!arguments.invariants) return absl::OkStatus();
  return absl::InvalidArgumentError("--invariants is for one model, and not for a pair");
}

int GenerateCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  GenerateArguments arguments;
  arguments.compare.command = ShellLine("onnxcmp generate", command_line);
  GenerateApp app(&arguments);
  if (const std::optional<int> status = Parse(app.app(), command_line, interruption)) {
    return *status;
  }
  const auto run = [&]() -> absl::StatusOr<int> {
    OC_RETURN_IF_ERROR(app.Finish());
    ExpectModels({arguments.compare.left, arguments.compare.right});
    return arguments.invariants ? RunInvariants(arguments, interruption)
                                : RunSteps(arguments, interruption);
  };
  const absl::StatusOr<int> ran = run();
  if (ran.ok()) return *ran;
  PrintError(ran.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
