#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/comparison_options.h"
#include "cli/interruption.h"
#include "cli/messages.h"

namespace onnxcmp::cli {
namespace {

constexpr size_t kFormats = 7;
constexpr const char* kFormatNames[kFormats] = {"table", "html", "json", "markdown",
                                                "junit", "csv",  "dot"};

// More than no time; nothing if the text says none.
std::optional<absl::Duration> SearchTime(const std::string& text) {
  absl::Duration time;
  if (!absl::ParseDuration(text, &time) || time <= absl::ZeroDuration()) return std::nullopt;
  return time;
}

void AddModels(CLI::App& app, CompareArguments& arguments) {
  app.add_option("LEFT", arguments.left, "A model (.onnx, .onnxtxt), or a recording of")
      ->type_name(" ");
  app.add_option("RIGHT", arguments.right, "  results (.npz, .safetensors, a folder)")
      ->type_name(" ");
}

void AddRuntimes(CLI::App& app, CompareArguments& arguments, std::string& against) {
  const char* kType = "R[:K=V,...]";
  app.add_option("--against", against, "Run the right side, or MODEL, in a runtime")
      ->group("Runtimes")
      ->type_name(kType);
  app.add_option("--left-runtime", arguments.runtimes.names.left, "What the left side runs in")
      ->group("Runtimes")
      ->type_name(kType);
  app.add_option("--right-runtime", arguments.runtimes.names.right, "What the right side runs in")
      ->group("Runtimes")
      ->type_name(kType);
  app.add_flag("--fused", arguments.runtimes.fused,
               "Take the model as the runtime has optimized it")
      ->group("Runtimes");
  arguments.runtimes.AddLimits(app);
}

// One model that a runtime is to run is both sides.
absl::Status TakeAgainst(const std::string& against, CompareArguments* arguments) {
  PerSide<std::string>& names = arguments->runtimes.names;
  if (!against.empty() && !names.right.empty()) {
    return absl::InvalidArgumentError("--against and --right-runtime say the same");
  }
  if (!against.empty()) names.right = against;
  if (!arguments->runtimes.any()) {
    return arguments->runtimes.fused
               ? absl::InvalidArgumentError("--fused is for a side that runs in a runtime")
               : absl::OkStatus();
  }
  if (arguments->right.empty()) arguments->right = arguments->left;
  if (arguments->classic) {
    return absl::InvalidArgumentError("the classic table is of our interpreter: no runtimes");
  }
  if (arguments->search.has_value()) {
    return absl::InvalidArgumentError("--search is for models in our interpreter");
  }
  return absl::OkStatus();
}

void AddInputsOfTwo(CLI::App& app, CompareArguments& arguments, std::string& search) {
  app.add_option("--left-inputs", arguments.inputs.left_inputs, "Those of the left model alone")
      ->group("Inputs")
      ->type_name("F");
  app.add_option("--right-inputs", arguments.inputs.right_inputs, "Those of the right model alone")
      ->group("Inputs")
      ->type_name("F");
  app.add_option("--map-input", arguments.inputs.map_input, "Which input is which; repeatable")
      ->group("Inputs")
      ->type_name("LEFT=RIGHT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--search", search, "Look so long for inputs that tell more (60s)")
      ->group("Inputs")
      ->type_name("[TIME]")
      ->check(Quietly(CLI::Validator(
          [](const std::string& text) {
            return SearchTime(text).has_value() ? std::string()
                                                : "must be a time such as 30s or 2m";
          },
          "")));
  app.add_flag("--coverage", arguments.coverage, "List what made-up inputs did not exercise")
      ->group("Inputs");
  app.add_option("--save-inputs", arguments.save_inputs, "Keep the inputs that were shown")
      ->group("Inputs")
      ->type_name("F");
}

void AddReports(CLI::App& app, CompareArguments& arguments, std::vector<std::string>& files) {
  app.add_option("--format", arguments.format, "html, json, markdown, junit, csv, dot (table)")
      ->group("Reports")
      ->type_name("HOW")
      ->check(Quietly(CLI::IsMember(
          std::vector<std::string>(std::begin(kFormatNames), std::end(kFormatNames)))));
  app.add_option("--output", arguments.output, "Write it to a file")
      ->group("Reports")
      ->type_name("F");
  files.resize(kFormats);
  for (size_t i = 1; i < kFormats; ++i) {
    const std::string format = kFormatNames[i];
    app.add_option(absl::StrCat("--", format), files[i],
                   format == "html" ? "Also write a page for a browser to a file"
                                    : absl::StrCat("Also write ", format, " to a file"))
        ->group("Reports")
        ->type_name("F");
  }
  AddSize(app, "--html-size", arguments.html_size, "Most that a page may have (10M)", 1)
      ->group("Reports");
}

// What is looked for besides.
void AddLooks(CLI::App& app, CompareArguments& arguments) {
  app.add_flag("--nan", arguments.only_not_finite, "Show only where numbers become NaN or infinite")
      ->group("Table");
  app.add_option("--pair", arguments.pairs, "Results that are a pair; repeatable")
      ->group("Verdict")
      ->type_name("LEFT=RIGHT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--explain", arguments.explain, "Show one pair in depth: a name, a row's number")
      ->type_name("R");
  app.add_flag("--quantization", arguments.quantization,
               "Show only what quantized layers cost, worst first");
  app.add_flag("--fusions", arguments.fusions, "Show only which blocks that are fused are broken");
  app.add_flag("--shadow", arguments.shadow, "Run both in double too: which is nearer the truth?");
  app.add_option("--repro", arguments.repro, "Write each cause to a folder as two small models")
      ->type_name("DIR");
}

// Returns its options but the first.
std::vector<CLI::Option*> AddClassic(CLI::App& app, CompareArguments& arguments) {
  app.add_flag("--classic", arguments.classic, "Print that instead")->group("The classic table");
  return {
      app.add_option("--column-size", arguments.table.column_size, "Width of a column (60)")
          ->group("The classic table")
          ->type_name("N")
          ->check(Quietly(CLI::Range(1, 10000))),
      app.add_flag("--keep-tensor", arguments.table.keep_tensors, "Show errors of paired results")
          ->group("The classic table"),
      app.add_option("--mode", arguments.mode, "execute, or nodes: without running (execute)")
          ->group("The classic table")
          ->type_name("HOW")
          ->check(Quietly(CLI::IsMember({"execute", "nodes"})))};
}

// What options say together.
absl::Status CheckTogether(const CompareArguments& arguments,
                           const std::vector<CLI::Option*>& classic_options) {
  if (arguments.left.empty() || arguments.right.empty()) {
    return absl::InvalidArgumentError(
        "two models are needed: onnxcmp LEFT RIGHT; see onnxcmp --help");
  }
  if (!arguments.repro.empty() && (!arguments.causes || arguments.classic)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--repro needs causes: it excludes ", arguments.classic ? "--classic" : "--no-causes"));
  }
  const InputOptions& inputs = arguments.inputs;
  const bool given =
      !inputs.inputs.empty() || !inputs.left_inputs.empty() || !inputs.right_inputs.empty();
  if (arguments.search.has_value() && (given || arguments.run.ramp || arguments.classic)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--search makes inputs up: it excludes ", given ? "inputs that are given"
                                                               : arguments.run.ramp ? "--ramp"
                                                                                    : "--classic"));
  }
  for (const CLI::Option* option : classic_options) {
    if (option->count() > 0 && !arguments.classic) {
      return absl::InvalidArgumentError(
          absl::StrCat(option->get_name(), " is for the classic table: it needs --classic"));
    }
  }
  return absl::OkStatus();
}

// What a shell reads as these arguments of the program.
std::string ShellLine(const std::vector<std::string>& arguments) {
  std::string line = "onnxcmp";
  for (const std::string& argument : arguments) {
    const bool plain =
        !argument.empty() && std::all_of(argument.begin(), argument.end(), [](const char c) {
          return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                 absl::StrContains("-_./=,:+@%", c);
        });
    absl::StrAppend(
        &line, " ",
        plain ? argument : absl::StrCat("'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}), "'"));
  }
  return line;
}

// "--search" without a time gets its own.
std::vector<std::string> WithSearchTime(std::vector<std::string> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--search") continue;
    if (i + 1 == arguments.size() || !SearchTime(arguments[i + 1]).has_value()) {
      arguments[i] = "--search=60s";
    }
  }
  return arguments;
}

}  // namespace

int CompareCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  CompareArguments arguments;
  std::vector<std::string> files;
  CLI::App app(
      "Runs two ONNX models on the same inputs, shows their results side by side and\n"
      "names the cause of a difference.\n"
      "Exit status 0: the outputs agree, 1: they differ, 2: they could not be compared.\n"
      "Other commands: onnxcmp run MODEL, chain A B C, test DIR, ops, fusions MODEL,\n"
      "layers A B, runtimes, conformance; COMMAND --help says more.",
      "onnxcmp");
  SetUsage(app, "onnxcmp [OPTIONS] LEFT RIGHT");
  app.set_version_flag("--version", "", "Print the version");
  std::string search;
  ComparisonOptions common(&arguments);
  AddModels(app, arguments);
  common.AddInputs(app);
  std::string against;
  AddRuntimes(app, arguments, against);
  AddInputsOfTwo(app, arguments, search);
  common.AddTolerances(app);
  common.AddVerdict(app);
  common.AddTable(app);
  AddReports(app, arguments, files);
  AddLooks(app, arguments);
  common.AddRunning(app);
  const std::vector<CLI::Option*> classic_options = AddClassic(app, arguments);
  if (const std::optional<int> status = Parse(app, WithSearchTime(command_line))) return *status;
  arguments.search = SearchTime(search);
  absl::Status status = common.Finish();
  if (status.ok()) status = TakeAgainst(against, &arguments);
  if (status.ok()) status = CheckTogether(arguments, classic_options);
  if (!status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  arguments.command = ShellLine(command_line);
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].empty()) arguments.reports.emplace_back(kFormatNames[i], files[i]);
  }
  return arguments.classic ? CompareClassically(arguments, interruption)
                           : CompareSides(arguments, interruption);
}

}  // namespace onnxcmp::cli
