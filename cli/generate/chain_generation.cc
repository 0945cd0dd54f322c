#include <algorithm>
#include <cstddef>
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
#include "generate/generation.h"
#include "generate/generation_chain.h"
#include "record/base/per_side.h"

namespace onnxcmp::cli {
namespace {

// Each model is opened once: the right one of a pass is the left one of the next.
absl::StatusOr<GenerationChain> RunChain(const std::vector<std::string>& models,
                                         const GenerateArguments& arguments,
                                         Interruption& interruption) {
  OC_ASSIGN_OR_RETURN(const GenerateOptions options, StepOptions(arguments));
  const auto rows = static_cast<int64_t>(std::max<size_t>(options.prompts.size(), 1));
  DecoderOpener opener(arguments.compare, arguments.decoders, interruption);
  GenerationChain chain;
  chain.models = models;
  std::vector<OpenDecoder> open;  // the first, and the last two at most
  for (size_t i = 0; i < models.size(); ++i) {
    absl::StatusOr<OpenDecoder> opened =
        opener.Open(SideId::kRight, models[i], rows, open.empty() ? nullptr : &open.back().given);
    if (!opened.ok()) {
      return absl::Status(opened.status().code(),
                          absl::StrCat("model ", i, ": ", opened.status().message()));
    }
    if (open.size() == 3) open.erase(open.begin() + 1);
    open.push_back(*std::move(opened));
    if (i == 0) continue;
    chain.passes.push_back(Generate({open[open.size() - 2].both(), open.back().both()}, options));
  }
  OC_RETURN_IF_ERROR(opener.CheckCorrections());
  if (models.size() > 2 && !chain.BrokenBy().has_value()) {
    chain.ends = Generate({open.front().both(), open.back().both()}, options);
  }
  return chain;
}

absl::StatusOr<int> Report(const GenerationChain& chain, const GenerateArguments& arguments) {
  const auto render = [&](const std::string& format) {
    return format == "json"       ? RenderGenerationChainJson(chain)
           : format == "junit"    ? RenderGenerationChainJunit(chain)
           : format == "markdown" ? RenderGenerationChainMarkdown(chain)
                                  : RenderGenerationChain(chain, LookOf(arguments.compare));
  };
  OC_RETURN_IF_ERROR(WriteReports(arguments, render));
  OC_RETURN_IF_ERROR(WritePage(arguments, chain.Shown()));
  return PrintOutput(render(arguments.compare.format)) ? chain.ExitStatus() : kFailed;
}

}  // namespace

int ChainGeneration(const std::vector<std::string>& command_line) {
  Interruption interruption;
  GenerateArguments arguments;
  std::vector<std::string> models;
  bool generate = false;
  arguments.compare.command = ShellLine("onnxcmp chain", command_line);
  CLI::App app(
      "Runs each decoder of a chain step by step beside the one before, on the same\n"
      "tokens, and the last beside the first: which pass is the first whose tokens or\n"
      "logits part? Shows a line for each pass, and the first that fails as\n"
      "onnxcmp generate does. Exit status: the worst of all passes.",
      "onnxcmp chain");
  SetUsage(app, "onnxcmp chain --generate [OPTIONS] MODEL MODEL ...");
  app.add_option("MODEL", models, "Models, PROMPT+STEPS, or folders, in order")->type_name(" ");
  app.add_flag("--generate", generate, "Decoders, step by step");
  AddStepOptions(app, arguments);
  AddReportOptions(app, arguments);
  CompareFlags flags(&arguments.compare);
  flags.AddTolerances(app);
  flags.AddVerdict(app);
  flags.AddTable(app);
  flags.AddRunning(app);
  if (const std::optional<int> status = Parse(app, command_line, interruption)) return *status;
  const auto run = [&]() -> absl::StatusOr<int> {
    OC_RETURN_IF_ERROR(flags.Finish());
    if (models.size() < 2) {
      return absl::InvalidArgumentError(
          "two models at least are needed: onnxcmp chain --generate MODEL MODEL ...");
    }
    OC_RETURN_IF_ERROR(CheckWrittenFiles(arguments, models));
    ExpectModels(models);
    OC_ASSIGN_OR_RETURN(const GenerationChain chain, RunChain(models, arguments, interruption));
    return Report(chain, arguments);
  };
  const absl::StatusOr<int> ran = run();
  if (ran.ok()) return *ran;
  PrintError(ran.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
