#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/interruption.h"
#include "cli/messages.h"
#include "compare/pair_tolerance.h"

namespace onnxcmp::cli {
namespace {

constexpr size_t kFormats = 5;
constexpr const char* kFormatNames[kFormats] = {"table", "json", "csv", "markdown", "junit"};

CLI::Validator NotNegative() {
  return CLI::Validator(
      [](std::string& text) {
        double number = 0;
        const bool good = absl::SimpleAtod(text, &number) && std::isfinite(number) && number >= 0;
        return good ? std::string() : "must be a number that is not negative";
      },
      "");
}

void AddSides(CLI::App& app, CompareArguments& arguments) {
  app.add_option("LEFT", arguments.left, "A model (.onnx, .onnxtxt) or a recording of results:")
      ->type_name(" ");
  app.add_option("RIGHT", arguments.right, "  .npz, .safetensors, a folder of .npy or .pb")
      ->type_name(" ");
  app.add_option("--inputs", arguments.inputs, "Inputs: an .npz, or a folder of input_N.pb")
      ->type_name("F");
  app.add_option("--left-inputs", arguments.left_inputs, "Inputs of the left model alone")
      ->type_name("F");
  app.add_option("--right-inputs", arguments.right_inputs, "Inputs of the right model alone")
      ->type_name("F");
}

void AddTolerances(CLI::App& app, CompareArguments& arguments,
                   std::vector<std::string>& tolerances) {
  app.add_option("--rtol", arguments.tolerance.rtol, "Values agree if |a-b| <= atol +")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--atol", arguments.tolerance.atol, "  rtol * max(|a|,|b|); defaults by type")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--tolerance", tolerances, "The same for one result; may be repeated")
      ->type_name("NAME=RTOL,ATOL")
      ->take_all()
      ->allow_extra_args(false);
}

void AddLook(CLI::App& app, CompareArguments& arguments, std::vector<std::string>& files) {
  CLI::Option* all = app.add_flag("--all", arguments.all, "Show every row");
  app.add_flag("--different", arguments.different, "Show only rows that differ")->excludes(all);
  app.add_flag("--wide", arguments.wide, "Show names whole");
  app.add_option("--color", arguments.color, "auto, always or never (auto)")
      ->type_name("WHEN")
      ->check(Quietly(CLI::IsMember({"auto", "always", "never"})));
  app.add_flag("--ascii", arguments.ascii, "Show nothing but ASCII");
  app.add_option("--width", arguments.width, "Columns of the table (the terminal's)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(40, 10000)));
  app.add_option("--depth", arguments.depth, "Leave out results of deeper subgraphs; 0: of all")
      ->type_name("N")
      ->check(Quietly(CLI::Range(0, 1 << 20)));
  app.add_option("--max-memory", arguments.max_memory,
                 "Keep so much of values that differ; more are computed again (256M)")
      ->type_name("SIZE")
      ->transform(Quietly(CLI::AsSizeValue(false)));
  app.add_flag("!--no-causes", arguments.causes, "Do not search for causes");
  app.add_option("--format", arguments.format, "table, json, csv, markdown or junit (table)")
      ->type_name("HOW")
      ->check(Quietly(CLI::IsMember({"table", "json", "csv", "markdown", "junit"})));
  app.add_option("--output", arguments.output, "Write it to a file")->type_name("F");
  files.resize(kFormats);
  for (size_t i = 1; i < kFormats; ++i) {
    app.add_option(absl::StrCat("--", kFormatNames[i]), files[i],
                   absl::StrCat("Besides, write ", kFormatNames[i], " to a file"))
        ->type_name("F");
  }
}

void AddClassic(CLI::App& app, CompareArguments& arguments) {
  CLI::Option* classic =
      app.add_flag("--classic", arguments.classic, "The classic table instead, with");
  app.add_option("--column-size", arguments.table.column_size,
                 "  the width of its two columns (60)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(1, 10000)))
      ->needs(classic);
  app.add_flag("--keep-tensor", arguments.table.keep_tensors, "  errors of paired results")
      ->needs(classic);
  app.add_option("--mode", arguments.mode, "  execute, or nodes: without running (execute)")
      ->type_name("HOW")
      ->check(Quietly(CLI::IsMember({"execute", "nodes"})))
      ->needs(classic);
}

}  // namespace

int CompareCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  CompareArguments arguments;
  std::vector<std::string> tolerances;
  std::vector<std::string> files;
  CLI::App app(
      "Runs two ONNX models on the same inputs, shows their results side by side and names\n"
      "the cause of a difference.\n"
      "Exit status 0: the outputs agree, 1: they differ, 2: they could not be compared.\n"
      "Other commands: onnxcmp run MODEL, onnxcmp ops; COMMAND --help says more.",
      "onnxcmp");
  SetUsage(app, "onnxcmp [OPTIONS] LEFT RIGHT");
  app.set_version_flag("--version", "", "Print the version");
  AddSides(app, arguments);
  AddTolerances(app, arguments, tolerances);
  AddLook(app, arguments, files);
  arguments.run.AddTo(app);
  AddClassic(app, arguments);
  if (const std::optional<int> status = Parse(app, command_line)) return *status;
  if (arguments.left.empty() || arguments.right.empty()) {
    PrintError("two models are needed: onnxcmp LEFT RIGHT; see onnxcmp --help");
    return kFailed;
  }
  for (const std::string& tolerance : tolerances) {
    if (absl::Status status = AddNamedTolerance(tolerance, &arguments.tolerance); !status.ok()) {
      PrintError(absl::StrCat("--tolerance: ", status.message()));
      return kFailed;
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].empty()) arguments.reports.emplace_back(kFormatNames[i], files[i]);
  }
  return arguments.classic ? CompareClassically(arguments, interruption)
                           : CompareSides(arguments, interruption);
}

}  // namespace onnxcmp::cli
