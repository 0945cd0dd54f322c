#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/compare_flags.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/process/time_option.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp::cli {
namespace {

constexpr size_t kFormats = 8;
constexpr const char* kFormatNames[kFormats] = {"table", "html", "json", "markdown",
                                                "junit", "csv",  "dot",  "svg"};

void AddModels(CLI::App& app, CompareArguments& arguments, std::vector<std::string>& more) {
  app.add_option("LEFT", arguments.left, "A model (.onnx, .onnxtxt), or a recording of")
      ->type_name(" ");
  app.add_option("RIGHT", arguments.right, "  results (.npz, .safetensors, a folder)")
      ->type_name(" ");
  app.add_option("MORE", more, "More models: see onnxcmp chain --help")->type_name(" ");
}

void AddRuntimes(CLI::App& app, CompareArguments& arguments, std::string& against) {
  constexpr char kType[] = "R[:K=V,...]";
  app.add_option("--against", against, "Run the right side, or MODEL, in a runtime")
      ->group("Runtimes")
      ->type_name(kType);
  app.add_option("--left-runtime", arguments.runtimes.names.left, "Runtime of the left side")
      ->group("Runtimes")
      ->type_name(kType);
  app.add_option("--right-runtime", arguments.runtimes.names.right, "Runtime of the right side")
      ->group("Runtimes")
      ->type_name(kType);
  app.add_flag("--fused", arguments.runtimes.fused, "Compare the model that the runtime optimized")
      ->group("Runtimes");
  arguments.runtimes.AddLimits(app);
}

// One model that a runtime is to run is both sides.
absl::Status TakeAgainst(const std::string& against, CompareArguments* arguments) {
  PerSide<std::string>& names = arguments->runtimes.names;
  if (!against.empty() && !names.right.empty()) {
    return absl::InvalidArgumentError("--against and --right-runtime say the same");
  }
  // Results of torch are those that the model has to match, and causes are sought on the right.
  const bool is_program = absl::StartsWith(against, "torch:") || against == "torch";
  if (is_program && !names.left.empty()) {
    return absl::InvalidArgumentError("--against torch and --left-runtime both say the left");
  }
  if (!against.empty()) (is_program ? names.left : names.right) = against;
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
  app.add_option("--left-inputs", arguments.inputs.left_inputs,
                 "Input values for the left model alone")
      ->group(kInputs)
      ->type_name("F");
  app.add_option("--right-inputs", arguments.inputs.right_inputs,
                 "Input values for the right model alone")
      ->group(kInputs)
      ->type_name("F");
  app.add_option("--map-input", arguments.inputs.map_input,
                 "Match an input of each side; repeatable")
      ->group(kInputs)
      ->type_name("LEFT=RIGHT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--search", search, "Search for inputs that reveal more (60s)")
      ->group(kInputs)
      ->type_name("[TIME]")
      ->check(Quietly(CLI::Validator(
          [](const std::string& text) {
            return ReadTime(text).has_value() ? std::string() : "must be a time such as 30s or 2m";
          },
          "")));
  app.add_flag("--coverage", arguments.coverage, "List what the made-up inputs did not exercise")
      ->group(kInputs);
  app.add_flag("--sizes", arguments.sizes, "Try which input sizes run and agree")->group(kInputs);
  app.add_option("--save-inputs", arguments.save_inputs, "Save the inputs of this comparison")
      ->group(kInputs)
      ->type_name("F");
}

void AddSamples(CLI::App& app, SamplesArguments& samples) {
  constexpr char kGroup[] = "Samples";
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return app.add_option(name, value, help)->group(kGroup)->type_name(type);
  };
  add("--samples", samples.path, "Measure both models on many samples: a folder\nor a file",
      "PATH");
  add("--sample", samples.one, "Compare on one of them, by its name", "NAME");
  add("--limit", samples.limit, "Take so many; with --seed, drawn from all", "N")
      ->check(Quietly(CLI::PositiveNumber));
  add("--batch", samples.batch, "Feed so many at once (1)", "N")
      ->check(Quietly(CLI::Range(int64_t{1}, int64_t{1} << 20)));
  add("--labels", samples.labels, "Right answers: .npy, or a line for each", "F");
  add("--task", samples.tasks, "classes, segmentation, tokens, ids, boxes,\nregression",
      "OUTPUT=TASK")
      ->take_all()
      ->allow_extra_args(false);
  add("--fail-if", samples.fail_if, "Exit 1 by a figure: 'top1 < 0.99'; repeatable", "COND")
      ->take_all()
      ->allow_extra_args(false);
  add("--resize", samples.resize, "Images: 224x224, or the shorter side, 256", "SIZE");
  add("--mean", samples.mean, "Images: subtracted, after scaling", "A,B,C");
  add("--std", samples.std, "Images: divided by", "A,B,C");
  add("--range", samples.range, "Images: the greatest number, 1 or 255", "N")
      ->check(Quietly(CLI::PositiveNumber));
  add("--layout", samples.layout, "Images: nchw or nhwc", "HOW")->check(OneOf({"nchw", "nhwc"}));
  app.add_flag("--bgr", samples.bgr, "Images: blue first")->group(kGroup);
  add("--part", samples.part, "Measure one part of N: 0/N to N-1/N", "I/N");
  add("--figures", samples.figures, "Write its figures to a file", "F");
  add("--merge", samples.merge, "Report on such files; repeatable", "F")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--sensitivity", samples.sensitivity, "Try each layer in float and converted")
      ->group(kGroup);
  add("--target", samples.target, "  with it: what has to hold, 'top1 >= 0.995'", "COND");
  add("--granularity", samples.granularity, "  with it: node or module (node)", "HOW")
      ->check(OneOf({"node", "module"}));
}

void AddReports(CLI::App& app, CompareArguments& arguments, std::vector<std::string>& files) {
  app.add_option("--format", arguments.format,
                 "html, json, markdown, junit, csv, dot, svg\n(table)")
      ->group("Reports")
      ->type_name("HOW")
      ->check(OneOf(std::vector<std::string>(std::begin(kFormatNames), std::end(kFormatNames))));
  app.add_option("--output", arguments.output, "Write the report to a file instead")
      ->group("Reports")
      ->type_name("F");
  files.resize(kFormats);
  for (size_t i = 1; i < kFormats; ++i) {
    const std::string format = kFormatNames[i];
    app.add_option(absl::StrCat("--", format), files[i], AlsoWrite(format))
        ->group("Reports")
        ->type_name("F");
  }
  AddHtmlSize(app, arguments);
}

// Adds optional analyses.
void AddLooks(CLI::App& app, CompareArguments& arguments) {
  app.add_flag("--nan", arguments.only_not_finite, "Show where numbers become NaN or infinite")
      ->group(kDiagnosis);
  app.add_option("--pair", arguments.options.pairs, "Pair two results by name; repeatable")
      ->group("Verdict")
      ->type_name("LEFT=RIGHT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--explain", arguments.options.explain,
                 "Show one pair in depth, by name or row number")
      ->group(kDiagnosis)
      ->type_name("R");
  app.add_flag("--quantization", arguments.options.quantization,
               "Show the error of each quantized layer")
      ->group(kDiagnosis);
  app.add_flag("--fusions", arguments.options.fusions, "Show which fused blocks are wrong")
      ->group(kDiagnosis);
  app.add_flag("--prove", arguments.prove, "Prove that the models are equal for all inputs")
      ->group(kDiagnosis);
  app.add_flag("--shadow", arguments.options.shadow, "Run both in double, too: which is nearer?")
      ->group(kDiagnosis);
  app.add_option("--repro", arguments.repro, "Write each cause to a folder as two small models")
      ->group(kDiagnosis)
      ->type_name("DIR");
  app.add_option("--model-explorer", arguments.model_explorer,
                 "Write node data for Model Explorer to a folder")
      ->group("Reports")
      ->type_name("DIR");
}

// Returns its options except the first.
std::vector<CLI::Option*> AddClassic(CLI::App& app, CompareArguments& arguments) {
  app.add_flag("--classic", arguments.classic, "Print the classic table")
      ->group("The classic table");
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
          ->check(OneOf({"execute", "nodes"}))};
}

absl::Status CheckReportFiles(const CompareArguments& arguments) {
  std::vector<std::string> written = {arguments.fix, arguments.fix_script, arguments.output,
                                      arguments.save_inputs, arguments.samples.figures};
  for (const auto& [format, file] : arguments.reports) written.push_back(file);
  const InputOptions& inputs = arguments.inputs;
  return CheckWritten(written,
                      {arguments.left, arguments.right, inputs.inputs, inputs.left_inputs,
                       inputs.right_inputs, arguments.samples.labels, arguments.samples.path});
}

// Checks option combinations.
absl::Status CheckTogether(const CompareArguments& arguments,
                           const std::vector<CLI::Option*>& classic_options) {
  if (!arguments.left.empty() && arguments.right.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "two models are needed: onnxcmp LEFT RIGHT; one alone is shown by onnxcmp show ",
        arguments.left, " and run by onnxcmp run ", arguments.left));
  }
  if (arguments.left.empty() || arguments.right.empty()) {
    return absl::InvalidArgumentError(
        "two models are needed: onnxcmp LEFT RIGHT; see onnxcmp --help");
  }
  if (!arguments.repro.empty() && (!arguments.options.causes || arguments.classic)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--repro needs causes: it excludes ", arguments.classic ? "--classic" : "--no-causes"));
  }
  OC_RETURN_IF_ERROR(CheckFix(arguments));
  if (arguments.prove && arguments.classic) {
    return absl::InvalidArgumentError("--prove excludes --classic");
  }
  const InputOptions& inputs = arguments.inputs;
  const bool given =
      !inputs.inputs.empty() || !inputs.left_inputs.empty() || !inputs.right_inputs.empty();
  const bool makes_up = arguments.search.has_value() || arguments.sizes;
  if (makes_up && (given || arguments.run.ramp || arguments.classic)) {
    return absl::InvalidArgumentError(absl::StrCat(
        arguments.search.has_value() ? "--search" : "--sizes", " makes inputs up: it excludes ",
        given                ? "inputs that are given"
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

// Adds the default time to "--search" without a time.
std::vector<std::string> WithSearchTime(std::vector<std::string> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--search") continue;
    if (i + 1 == arguments.size() || !ReadTime(arguments[i + 1]).has_value()) {
      arguments[i] = "--search=60s";
    }
  }
  return arguments;
}

// The command's options and what they are read into.
class CompareApp {
 public:
  // The arguments must outlive the object.
  explicit CompareApp(CompareArguments* arguments) : arguments_(*arguments), common_(arguments) {
    SetUsage(app_, "onnxcmp [OPTIONS] LEFT RIGHT",
             {"--inputs", "--search", "--rtol", "--atol", "--explain", "--no-causes", "--all",
              "--html", "--json", "--against"});
    app_.set_version_flag("--version", "", "Print versions and instructions");
    AddModels(app_, arguments_, more_);
    common_.AddInputs(app_);
    AddInputsOfTwo(app_, arguments_, search_);
    AddSamples(app_, arguments_.samples);
    common_.AddTolerances(app_);
    common_.AddVerdict(app_);
    AddLooks(app_, arguments_);
    common_.AddFix(app_);
    common_.AddTable(app_);
    AddReports(app_, arguments_, files_);
    AddRuntimes(app_, arguments_, against_);
    common_.AddRunning(app_);
    classic_options_ = AddClassic(app_, arguments_);
    app_.footer(
        absl::StrCat("Examples:\n"
                     "  onnxcmp plain.onnx optimized.onnx --html report.html\n"
                     "  onnxcmp model.onnx --against onnxruntime --inputs inputs.npz\n\n",
                     ListOfCommands()));
  }

  CLI::App& app() { return app_; }

  // True if more than two models are given.
  bool is_chain() const { return !more_.empty(); }

  // After the command line was parsed.
  absl::Status Finish(const std::vector<std::string>& command_line) {
    if (is_chain()) {
      return absl::InvalidArgumentError(absl::StrCat("two sides are compared, and not ", more_[0]));
    }
    arguments_.search = ReadTime(search_);
    OC_RETURN_IF_ERROR(common_.Finish());
    OC_RETURN_IF_ERROR(TakeAgainst(against_, &arguments_));
    OC_RETURN_IF_ERROR(CheckTogether(arguments_, classic_options_));
    arguments_.command = ShellLine("onnxcmp", command_line);
    for (size_t i = 0; i < files_.size(); ++i) {
      if (!files_[i].empty()) arguments_.reports.emplace_back(kFormatNames[i], files_[i]);
    }
    OC_RETURN_IF_ERROR(CheckSamples(arguments_));
    OC_RETURN_IF_ERROR(CheckReportFiles(arguments_));
    return arguments_.samples.one.empty() ? absl::OkStatus() : TakeSample(&arguments_);
  }

 private:
  CLI::App app_{
      "Runs two ONNX models on the same inputs, shows their results side by side and\n"
      "names the cause of a difference.\n"
      "Exit status 0: the outputs agree, 1: they differ, 2: they could not be compared.",
      "onnxcmp"};
  CompareArguments& arguments_;
  CompareFlags common_;
  std::vector<std::string> more_;
  std::string search_;
  std::string against_;
  std::vector<std::string> files_;
  std::vector<CLI::Option*> classic_options_;
};

}  // namespace

absl::Status ReadCompareArguments(const std::vector<std::string>& command_line,
                                  CompareArguments* arguments) {
  CompareApp app(arguments);
  OC_RETURN_IF_ERROR(ParseQuietly(app.app(), WithSearchTime(command_line)));
  return app.Finish(command_line);
}

int CompareCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  CompareArguments arguments;
  CompareApp app(&arguments);
  if (const std::optional<int> status = Parse(app.app(), WithSearchTime(command_line))) {
    return *status;
  }
  if (app.is_chain()) return ChainCommand(command_line);
  Watch(app.app(), interruption);
  if (const absl::Status status = app.Finish(command_line); !status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  if (arguments.classic) return CompareClassically(arguments, interruption);
  const bool samples = !arguments.samples.path.empty() && arguments.samples.one.empty();
  return samples ? CompareSamples(arguments, interruption) : CompareSides(arguments, interruption);
}

}  // namespace onnxcmp::cli
