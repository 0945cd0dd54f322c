#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/arguments.h"
#include "cli/bisect/bisect_run.h"
#include "cli/bisect/candidates.h"
#include "cli/commands.h"
#include "cli/compare_flags.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/process/time_option.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp::cli {
namespace {

// The exit status that git bisect run takes for "stop": an error that says nothing about the
// commit.
constexpr int kGitStops = 128;

// Options on which no answer depends, with the number of their values.
const std::map<std::string, int>& OptionsWithoutEffect() {
  static const auto* const kOptions =
      new std::map<std::string, int>({{"--json", 1},      {"--format", 1},
                                      {"--dir", 1},       {"-q", 0},
                                      {"--quiet", 0},     {"--all", 0},
                                      {"--different", 0}, {"--wide", 0},
                                      {"--every", 0},     {"--only-different", 0},
                                      {"--ascii", 0},     {"--color", 1},
                                      {"--width", 1},     {"--timings", 0},
                                      {"--threads", 1},   {"--max-time", 1},
                                      {"--no-share", 0},  {"--fix", 1},
                                      {"--fix-left", 0},  {"--fix-script", 1}});
  return *kOptions;
}

// The state of a file, or of all files in a folder; "" if there is none.
std::string StateOf(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    std::set<std::string> states;
    for (std::filesystem::recursive_directory_iterator it(path, error), end; !error && it != end;
         it.increment(error)) {
      std::error_code ignored;
      if (it->is_regular_file(ignored)) states.insert(StateOf(it->path().string()));
    }
    return absl::StrJoin(states, "");
  }
  const auto size = std::filesystem::file_size(path, error);
  if (error) return "";
  const auto time = std::filesystem::last_write_time(path, error);
  return absl::StrCat(path, " ", size, " ", time.time_since_epoch().count(), "\n");
}

// All that the answers depend on: options, and the state of the files that they name.
std::string TaskOf(const std::vector<std::string>& command_line,
                   const std::vector<BisectCandidate>& candidates,
                   const std::vector<std::string>& files) {
  std::string task;
  for (size_t i = 0; i < command_line.size(); ++i) {
    const std::string name = command_line[i].substr(0, command_line[i].find('='));
    const auto without = OptionsWithoutEffect().find(name);
    if (without == OptionsWithoutEffect().end()) {
      absl::StrAppend(&task, command_line[i], "\n");
    } else if (name == command_line[i]) {
      i += static_cast<size_t>(without->second);
    }
  }
  for (const BisectCandidate& candidate : candidates) {
    absl::StrAppend(&task, candidate.name, "\n", StateOf(candidate.file));
  }
  for (const std::string& file : files) absl::StrAppend(&task, StateOf(file));
  return task;
}

void AddCandidates(CLI::App& app, BisectArguments& arguments) {
  constexpr char kGroup[] = "Candidates";
  app.add_option("MODEL", arguments.models, "Models in order, their folder, or a pattern")
      ->type_name(" ");
  app.add_option("--models", arguments.models, "The same: 'DIR/*.onnx'")
      ->group(kGroup)
      ->type_name("MODEL ...")
      ->take_all();
  app.add_option("--command", arguments.command, "Makes the model {out} of {in}, by {n} or {}")
      ->group(kGroup)
      ->type_name("LINE");
  app.add_option("--count", arguments.count, "How many values {n} has")
      ->group(kGroup)
      ->type_name("N")
      ->check(Quietly(CLI::Range(1, 1 << 20)));
  app.add_option("--first", arguments.first, "The first value of {n} (1)")
      ->group(kGroup)
      ->type_name("N");
  app.add_option("--model", arguments.model, "The model {in}")->group(kGroup)->type_name("F");
  app.add_option("--candidates", arguments.candidates, "Values of {}, one a line, in order")
      ->group(kGroup)
      ->type_name("F");
}

void AddJudgement(CLI::App& app, BisectArguments& arguments) {
  constexpr char kGroup[] = "What is good";
  app.add_option("--reference", arguments.reference, "What agrees with this model (the first one)")
      ->group(kGroup)
      ->type_name("F");
  app.add_option("--check", arguments.check, "That on which this exits with 0: 'test.sh {model}'")
      ->group(kGroup)
      ->type_name("LINE");
}

void AddSearch(CLI::App& app, BisectArguments& arguments) {
  constexpr char kGroup[] = "Search";
  app.add_option("--dir", arguments.folder,
                 "Folder for the log, models and output of\ncommands; goes on from there "
                 "(onnxcmp-bisect)")
      ->group(kGroup)
      ->type_name("DIR");
  AddTime(app, "--timeout", arguments.limit, "Time limit of a command (10m)")->group(kGroup);
  app.add_flag("--every", arguments.every, "Judge every candidate, also those after a bad one")
      ->group(kGroup);
  app.add_flag("--git", arguments.for_git,
               "Judge one model for `git bisect run`: exit 0 good,\n1 bad, 125 skip, 128 stop")
      ->group(kGroup);
}

absl::Status CheckBisectionFiles(const BisectArguments& arguments,
                                 const std::vector<BisectCandidate>& candidates) {
  const CompareArguments& compare = arguments.compare;
  std::vector<std::string> written = {compare.fix, compare.fix_script};
  for (const auto& [format, file] : compare.reports) written.push_back(file);
  std::vector<std::string> read = {arguments.reference, arguments.model, arguments.candidates,
                                   compare.inputs.inputs};
  for (const BisectCandidate& candidate : candidates) read.push_back(candidate.file);
  return CheckWritten(written, read);
}

absl::StatusOr<int> Bisect(BisectArguments& arguments, CompareFlags& options,
                           const std::vector<std::string>& line, Interruption& interruption) {
  OC_RETURN_IF_ERROR(options.Finish());
  OC_RETURN_IF_ERROR(CheckFix(arguments.compare));
  if (arguments.for_git && !arguments.compare.fix.empty()) {
    return absl::InvalidArgumentError("--git judges one model alone: it excludes --fix");
  }
  OC_ASSIGN_OR_RETURN(std::vector<BisectCandidate> candidates, CandidatesOf(arguments));
  OC_RETURN_IF_ERROR(CheckBisectionFiles(arguments, candidates));
  arguments.task = TaskOf(line, candidates,
                          {arguments.reference, arguments.model, arguments.candidates,
                           arguments.compare.inputs.inputs});
  // Never freed, as the comparison of two sides.
  static BisectRun* run;
  run = new BisectRun(arguments, std::move(candidates), interruption);
  return arguments.for_git ? run->JudgeOne() : run->Search();
}

}  // namespace

int BisectCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  BisectArguments arguments;
  CLI::App app(
      "Finds the first bad one of an ordered set of models, which are there or which a\n"
      "command makes, by few comparisons: of n at most ceil(log2 n) + 1. Good is what\n"
      "agrees with the first one, or passes a check. Shows the step that broke it.\n"
      "Exit status 0: none is bad, 1: the first bad one was found, 2: it was not.",
      "onnxcmp bisect");
  SetUsage(app, "onnxcmp bisect [OPTIONS] [MODEL ...]");
  AddCandidates(app, arguments);
  AddJudgement(app, arguments);
  AddSearch(app, arguments);
  CompareFlags options(&arguments.compare);
  options.AddInputs(app);
  options.AddTolerances(app);
  options.AddVerdict(app);
  options.AddFix(app);
  options.AddTable(app);
  app.add_option("--format", arguments.compare.format, "Print json (table)")
      ->group("Reports")
      ->type_name("HOW")
      ->check(OneOf({"table", "json"}));
  std::string json;
  app.add_option("--json", json, AlsoWrite("json"))->group("Reports")->type_name("F");
  options.AddRunning(app);
  app.footer(
      "Examples:\n"
      "  onnxcmp bisect passes/ --inputs inputs.npz\n"
      "  onnxcmp bisect --command 'optimize --passes-up-to {n} {in} {out}' \\\n"
      "                 --count 40 --model m.onnx\n"
      "  git bisect run onnxcmp bisect --git --reference good.onnx \\\n"
      "                 --command 'make && ./export {out}'\n");
  const std::optional<int> parsed = Parse(app, command_line, interruption);
  // Git must not blame a commit for a mistake in the command.
  if (parsed.has_value()) return *parsed != kAgree && arguments.for_git ? kGitStops : *parsed;
  arguments.compare.command = ShellLine("onnxcmp bisect", command_line);
  if (!json.empty()) arguments.compare.reports.emplace_back("json", json);
  const absl::StatusOr<int> status = Bisect(arguments, options, command_line, interruption);
  if (status.ok()) return *status;
  PrintError(status.status().message());
  return arguments.for_git ? kGitStops : kFailed;
}

}  // namespace onnxcmp::cli
