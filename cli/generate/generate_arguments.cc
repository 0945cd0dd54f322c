#include "cli/generate/generate_arguments.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/compare_flags.h"
#include "cli/process/messages.h"
#include "evaluator/base/status_macros.h"
#include "feed/feeds.h"
#include "generate/render_generation.h"
#include "generate/tensors.h"
#include "record/base/write_file.h"
#include "reports/render_html.h"

namespace onnxcmp::cli {
namespace {

constexpr int64_t kMostSteps = 100'000;

absl::Status BadPrompt(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--prompt '", text,
      "' has to be token ids, as 3,17,4, or an .npy of integers; a text is for Python: "
      "onnxcmp.generate(left, right, prompt=\"...\"), by a tokenizer.json"));
}

absl::Status BadArray(const std::string& path) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--prompt ", path, ": this has to be an array of integers, [tokens] or [prompts, tokens]"));
}

// The rows of an array, or one row.
absl::Status AddArray(const std::string& path, std::vector<std::vector<int64_t>>* prompts) {
  OC_ASSIGN_OR_RETURN(FeedFile file, FeedFile::Open(path));
  if (file.is_folder() || file.size() != 1) return BadArray(path);
  OC_ASSIGN_OR_RETURN(const NamedValue read, file.Read(0));
  if (!read.value.is_tensor() || !IsInteger(read.value.tensor().dtype())) return BadArray(path);
  const Tensor& tensor = read.value.tensor();
  if (tensor.rank() < 1 || tensor.rank() > 2 || tensor.num_elements() == 0) return BadArray(path);
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

}  // namespace

void AddStepOptions(CLI::App& app, GenerateArguments& arguments) {
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
}

void AddReportOptions(CLI::App& app, GenerateArguments& arguments) {
  app.add_option("--format", arguments.compare.format, "table, json, junit, markdown (table)")
      ->type_name("HOW")
      ->check(Quietly(CLI::IsMember({"table", "json", "junit", "markdown"})));
  app.add_option("--html", arguments.html, "Write the failing step, or the last, as a page")
      ->type_name("F");
  for (const char* format : {"json", "junit", "markdown"}) {
    app.add_option(absl::StrCat("--", format), arguments.files[format], AlsoWrite(format))
        ->type_name("F");
  }
}

absl::StatusOr<GenerateOptions> StepOptions(const GenerateArguments& arguments) {
  GenerateOptions options;
  options.steps = arguments.steps;
  options.free = arguments.free;
  options.seed = arguments.compare.run.seed.value_or(options.seed);
  options.show_last = !arguments.html.empty();
  options.compare = arguments.compare.options;
  options.compare.threads = arguments.compare.run.threads;
  options.compare.letters = arguments.compare.format == "json" || !arguments.html.empty() ||
                            !arguments.files.at("json").empty();
  OC_ASSIGN_OR_RETURN(options.prompts, PromptsOf(arguments.prompts));
  return options;
}

absl::Status CheckWrittenFiles(const GenerateArguments& arguments,
                               const std::vector<std::string>& models) {
  std::vector<std::string> read = {arguments.decoders.inputs}, written = {arguments.html};
  for (const std::string& model : models) {
    for (std::string& file : DecoderFiles(model)) read.push_back(std::move(file));
  }
  for (const auto& [format, path] : arguments.files) written.push_back(path);
  return CheckWritten(written, read);
}

absl::Status WriteReports(const GenerateArguments& arguments,
                          const std::function<std::string(const std::string& format)>& render) {
  for (const auto& [format, path] : arguments.files) {
    if (!path.empty()) OC_RETURN_IF_ERROR(WriteFile(path, render(format)));
  }
  return absl::OkStatus();
}

absl::Status WritePage(const GenerateArguments& arguments, const Generation& generation) {
  if (arguments.html.empty()) return absl::OkStatus();
  const Comparison* const shown =
      generation.comparison != nullptr ? generation.comparison.get() : generation.last.get();
  if (shown == nullptr) {
    PrintNote(absl::StrCat("no step was compared that a page could show: ", arguments.html,
                           " is not written"));
    return absl::OkStatus();
  }
  HtmlOptions page;
  page.command = arguments.compare.command;
  page.generation = RenderStepsJson(generation);
  return WriteFile(arguments.html, RenderHtml(*shown, page));
}

}  // namespace onnxcmp::cli
