#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/compare_flags.h"
#include "cli/generate/open_decoder.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "evaluator/base/status_macros.h"
#include "feed/feeds.h"
#include "generate/decoder.h"
#include "generate/decoder_side.h"
#include "generate/direction.h"
#include "generate/generation.h"
#include "generate/invariants.h"
#include "generate/render_generation.h"
#include "generate/roles.h"
#include "generate/tensors.h"
#include "generate/trials.h"
#include "record/base/write_file.h"
#include "reports/render_html.h"

namespace onnxcmp::cli {
namespace {

constexpr int64_t kMostSteps = 100'000;

struct GenerateArguments {
  CompareArguments compare;
  std::vector<std::string> prompts;
  DecoderOptions decoders;
  std::string against;
  std::map<std::string, std::string> files;  // paths by format
  std::string html;                          // a page of the step that fails
  int64_t steps = 16;
  bool free = false;
  bool invariants = false;
  bool causal = false, encoder = false;
};

absl::Status BadPrompt(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("--prompt ", text, " has to be token ids, as 3,17,4, or an .npy of integers"));
}

// The rows of an array, or one row.
absl::Status AddArray(const std::string& path, std::vector<std::vector<int64_t>>* prompts) {
  OC_ASSIGN_OR_RETURN(FeedFile file, FeedFile::Open(path));
  if (file.is_folder() || file.size() != 1) return BadPrompt(path);
  OC_ASSIGN_OR_RETURN(const NamedValue read, file.Read(0));
  if (!read.value.is_tensor() || !IsInteger(read.value.tensor().dtype())) return BadPrompt(path);
  const Tensor& tensor = read.value.tensor();
  if (tensor.rank() < 1 || tensor.rank() > 2 || tensor.num_elements() == 0) return BadPrompt(path);
  OC_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(tensor));
  const int64_t length = tensor.shape().back();
  for (int64_t begin = 0; begin < tensor.num_elements(); begin += length) {
    prompts->emplace_back(numbers.begin() + begin, numbers.begin() + begin + length);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::vector<int64_t>>> PromptsOf(const std::vector<std::string>& given) {
  std::vector<std::vector<int64_t>> prompts;
  for (const std::string& text : given) {
    if (absl::EndsWith(text, ".npy")) {
      OC_RETURN_IF_ERROR(AddArray(text, &prompts));
      continue;
    }
    std::vector<int64_t> prompt;
    for (const absl::string_view word :
         absl::StrSplit(text, absl::ByAnyChar(", "), absl::SkipEmpty())) {
      int64_t id = 0;
      if (!absl::SimpleAtoi(word, &id)) return BadPrompt(text);
      prompt.push_back(id);
    }
    if (prompt.empty()) return BadPrompt(text);
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

absl::Status WriteReports(const GenerateArguments& arguments,
                          const std::function<std::string(const std::string& format)>& render) {
  for (const auto& [format, path] : arguments.files) {
    if (!path.empty()) OC_RETURN_IF_ERROR(WriteFile(path, render(format)));
  }
  return absl::OkStatus();
}

absl::StatusOr<int> RunInvariants(const GenerateArguments& arguments, Interruption& interruption) {
  const DecoderOpener opener(arguments.compare, arguments.decoders, interruption);
  OC_ASSIGN_OR_RETURN(const OpenDecoder one,
                      opener.Open(SideId::kLeft, arguments.compare.left, kInvariantRows, nullptr));
  OC_RETURN_IF_ERROR(opener.CheckCorrections({one.both()}));
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

absl::Status WritePage(const GenerateArguments& arguments, const Generation& generation) {
  if (arguments.html.empty()) return absl::OkStatus();
  if (generation.comparison == nullptr) {
    PrintNote(
        absl::StrCat("no step fails that a page could show: ", arguments.html, " is not written"));
    return absl::OkStatus();
  }
  HtmlOptions page;
  page.command = arguments.compare.command;
  return WriteFile(arguments.html, RenderHtml(*generation.comparison, page));
}

absl::StatusOr<int> RunSteps(const GenerateArguments& arguments, Interruption& interruption) {
  GenerateOptions options;
  options.steps = arguments.steps;
  options.free = arguments.free;
  options.seed = arguments.compare.run.seed.value_or(options.seed);
  options.compare = arguments.compare.options;
  options.compare.threads = arguments.compare.run.threads;
  options.compare.letters = arguments.compare.format == "json" || !arguments.html.empty() ||
                            !arguments.files.at("json").empty();
  OC_ASSIGN_OR_RETURN(options.prompts, PromptsOf(arguments.prompts));
  const auto rows = static_cast<int64_t>(std::max<size_t>(options.prompts.size(), 1));
  const DecoderOpener opener(arguments.compare, arguments.decoders, interruption);
  PerSide<OpenDecoder> open;
  PerSide<DecoderSide> sides;
  for (const SideId side : kBothSides) {
    absl::StatusOr<OpenDecoder> opened =
        opener.Open(side, OfSide(arguments.compare, side), rows,
                    side == SideId::kRight ? &open.left.given : nullptr);
    if (!opened.ok()) return ErrorOf(side, opened.status());
    open[side] = *std::move(opened);
    sides[side] = open[side].both();
  }
  OC_RETURN_IF_ERROR(opener.CheckCorrections({sides.left, sides.right}));
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
  app.add_option("--steps", arguments.steps, "Steps, the prompt's included (16)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(int64_t{1}, kMostSteps)));
  app.add_option("--prompt", arguments.prompts, "Token ids 3,17,4, or an .npy; repeatable")
      ->type_name("IDS")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--free", arguments.free, "Each side follows its own tokens, not the left's");
  app.add_option("--state", arguments.decoders.states, "An input and its next value; repeatable")
      ->type_name("PAST=PRESENT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option(
         "--role", arguments.decoders.roles,
         "What an input is: tokens, mask, positions,\ncache_position, last_position, "
         "total_length,\nuse_cache, token_types, state, given, frames,\nlengths; repeatable")
      ->type_name("NAME=ROLE")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--inputs", arguments.decoders.inputs, "An .npz: an encoder's states and the like")
      ->type_name("F");
  app.add_option("--against", arguments.against, "Run the right side, or MODEL, in a runtime")
      ->type_name("R[:K=V,...]");
  app.add_option("--format", arguments.compare.format, "table, json, junit, markdown (table)")
      ->type_name("HOW")
      ->check(Quietly(CLI::IsMember({"table", "json", "junit", "markdown"})));
  app.add_option("--html", arguments.html, "Write the step that fails as a page")->type_name("F");
  for (const char* format : {"json", "junit", "markdown"}) {
    app.add_option(absl::StrCat("--", format), arguments.files[format], AlsoWrite(format))
        ->type_name("F");
  }
}

absl::Status CheckWrittenFiles(const GenerateArguments& arguments) {
  std::vector<std::string> read = {arguments.decoders.inputs}, written = {arguments.html};
  for (const std::string& side : {arguments.compare.left, arguments.compare.right}) {
    for (std::string& file : DecoderFiles(side)) read.push_back(std::move(file));
  }
  for (const auto& [format, path] : arguments.files) written.push_back(path);
  return CheckWritten(written, read);
}

}  // namespace

int GenerateCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  GenerateArguments arguments;
  arguments.compare.command = ShellLine("onnxcmp generate", command_line);
  CLI::App app(
      "Runs two decoders step by step on the same tokens, with caches or without, and\n"
      "compares the logits of each step; the first step that fails is shown as a\n"
      "table, with its causes. --invariants tries one model against itself.\n"
      "Exit status 0: all steps agree, 1: one differs, 2: they could not be compared.",
      "onnxcmp generate");
  SetUsage(app, "onnxcmp generate [OPTIONS] LEFT RIGHT");
  AddGenerateOptions(app, arguments);
  CompareFlags flags(&arguments.compare);
  flags.AddTolerances(app);
  flags.AddVerdict(app);
  flags.AddTable(app);
  arguments.compare.runtimes.AddLimits(app);
  flags.AddRunning(app);
  if (const std::optional<int> status = Parse(app, command_line, interruption)) return *status;
  const auto run = [&]() -> absl::StatusOr<int> {
    OC_RETURN_IF_ERROR(flags.Finish());
    OC_RETURN_IF_ERROR(CheckGenerate(&arguments));
    OC_RETURN_IF_ERROR(CheckWrittenFiles(arguments));
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
