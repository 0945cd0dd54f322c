#include "cli/compare_flags.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/runtimes/shell_line.h"

namespace onnxcmp::cli {

void CompareFlags::AddInputs(CLI::App& app) {
  app.add_option("--inputs", arguments_.inputs.inputs,
                 "Input values: an .npz, or a folder of input_N.pb")
      ->group(kInputs)
      ->type_name("F");
  app.add_option("--sets", arguments_.sets, "Sets of made-up inputs, at most (4)")
      ->group(kInputs)
      ->type_name("N")
      ->check(Quietly(CLI::Range(1, 1000)));
  app.add_flag("--each", arguments_.inputs.each, "Take each slice of the .npz as a set of inputs")
      ->group(kInputs);
}

void CompareFlags::AddTolerances(CLI::App& app) {
  app.add_option("--rtol", arguments_.options.tolerance.rtol, "Values agree if |a-b| <= atol +")
      ->group("Tolerances")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--atol", arguments_.options.tolerance.atol,
                 "  rtol * max(|a|,|b|); default by type")
      ->group("Tolerances")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--tolerance", tolerances_, "NAME=RTOL,ATOL: for one result; repeatable")
      ->group("Tolerances")
      ->type_name("T")
      ->take_all()
      ->allow_extra_args(false);
}

void CompareFlags::AddVerdict(CLI::App& app) {
  app.add_flag("--partial", arguments_.options.partial, "Accept results that only one side has")
      ->group("Verdict");
  app.add_flag("--any-row-order", arguments_.options.any_row_order,
               "Accept recorded rows in another order")
      ->group("Verdict");
  app.add_option("--ties", ties_, "Accept other indices where scores tie")
      ->group("Verdict")
      ->type_name("close")
      ->check(OneOf({"different", "close"}));
  app.add_option("--min-sqnr", arguments_.options.min_sqnr,
                 "Least signal to noise of float outputs, in dB\n(by type, of converted models)")
      ->group("Verdict")
      ->type_name("DB");
  app.add_option("--output-types", output_types_, "Accept float beside float16 and the like")
      ->group("Verdict")
      ->type_name("close")
      ->check(OneOf({"exact", "close"}));
  app.add_option("--fail-on", fail_on_, "Exit 1 if: different, causes, bits, rewrites\n(different)")
      ->group("Verdict")
      ->type_name("WHAT")
      ->check(OneOf({"different", "causes", "bits", "rewrites"}));
}

void CompareFlags::AddTable(CLI::App& app) {
  app.add_flag("--all", arguments_.all, "Show every row")->group("Table");
  app.add_flag("--different", arguments_.different, "Show only rows that differ")->group("Table");
  app.add_flag("--only-different", arguments_.only_different,
               "The same without rows of one side alone")
      ->group("Table");
  app.add_flag("--wide", arguments_.wide, "Do not shorten names")->group("Table");
  app.add_flag("--ascii", arguments_.ascii, "Use ASCII characters only")->group("Table");
  app.add_option("--color", arguments_.color, "Use colors: auto, always or never (auto)")
      ->group("Table")
      ->type_name("WHEN")
      ->check(OneOf({"auto", "always", "never"}));
  app.add_option("--width", arguments_.width, "Columns of the table (the terminal's)")
      ->group("Table")
      ->type_name("N")
      ->check(Quietly(CLI::Range(40, 10000)));
  app.add_option("--depth", arguments_.options.max_depth,
                 "Levels of subgraphs that are compared (all)")
      ->group("Table")
      ->type_name("N")
      ->check(Quietly(CLI::Range(0, 1 << 20)));
}

void CompareFlags::AddFix(CLI::App& app) {
  app.add_option("--fix", arguments_.fix, "Write the right model with the causes mended")
      ->group(kDiagnosis)
      ->type_name("OUT");
  app.add_flag("--fix-left", arguments_.fix_left, "Mend the left model instead")->group(kDiagnosis);
  app.add_option("--fix-script", arguments_.fix_script, "Write the edits as a script, too")
      ->group(kDiagnosis)
      ->type_name("PY");
}

void CompareFlags::AddRunning(CLI::App& app) {
  app.add_flag("--no-causes", no_causes_, "Do not search for causes")->group(kDiagnosis);
  app.add_flag("--no-share", no_share_, "Run nodes twice that both models have in common")
      ->group(kExecution);
  app.add_flag("--timings", arguments_.timings, "Print the time of each step on standard error")
      ->group(kExecution);
  AsSize(app.add_option("--keep-values", arguments_.options.keep_values,
                        "Memory for values that differ (256M)"))
      ->group(kExecution);
  AsSize(app.add_option(
             "--search-memory", arguments_.options.search_memory,
             "Memory for the search for causes; results that\nneed more are not searched (4G)"))
      ->group(kExecution);
  arguments_.run.AddTo(app);
}

absl::Status CompareFlags::Finish() {
  if (arguments_.run.memory != nullptr) {
    // Values that a comparison keeps leave the account of the runs.
    constexpr int64_t kShareOfKept = 8;
    const int64_t most = arguments_.run.memory->limit() / kShareOfKept;
    arguments_.options.keep_values = std::min(arguments_.options.keep_values, most);
    arguments_.options.search_memory = std::min(arguments_.options.search_memory, most);
  }
  arguments_.options.causes = !no_causes_;
  arguments_.options.share = !no_share_;
  arguments_.options.ties_agree = ties_ == "close";
  arguments_.options.fail_on = fail_on_ == "causes" ? FailOn::kCauses
                               : fail_on_ == "bits" ? FailOn::kBits
                                                    : FailOn::kDifferent;
  arguments_.fail_on_rewrites = fail_on_ == "rewrites";
  arguments_.prove |= arguments_.fail_on_rewrites;
  arguments_.options.tolerance.output_types_close = output_types_ == "close";
  for (const std::string& tolerance : tolerances_) {
    if (absl::Status status = AddNamedTolerance(tolerance, &arguments_.options.tolerance);
        !status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--tolerance: ", status.message()));
    }
  }
  if (arguments_.all && (arguments_.different || arguments_.only_different)) {
    return absl::InvalidArgumentError("--all and --different exclude each other");
  }
  if (arguments_.options.fail_on == FailOn::kCauses && (no_causes_ || arguments_.only_not_finite)) {
    return absl::InvalidArgumentError(absl::StrCat("--fail-on causes needs causes: it excludes ",
                                                   no_causes_ ? "--no-causes" : "--nan"));
  }
  return absl::OkStatus();
}

absl::Status CheckFix(const CompareArguments& arguments) {
  if (arguments.fix.empty()) {
    if (!arguments.fix_left && arguments.fix_script.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(arguments.fix_left ? "--fix-left" : "--fix-script", " needs --fix OUT"));
  }
  const RuntimeArguments& runtimes = arguments.runtimes;
  const char* other = !arguments.options.causes      ? "--no-causes"
                      : arguments.classic            ? "--classic"
                      : !runtimes.names.left.empty() ? "a left side in a runtime"
                      : !runtimes.any()              ? nullptr
                      : runtimes.fused               ? "--fused"
                      : arguments.fix_left           ? "--fix-left with a side in a runtime"
                                                     : nullptr;
  if (other != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fix needs causes of two models: it excludes ", other));
  }
  return absl::OkStatus();
}

std::string AlsoWrite(const std::string& format) {
  return format == "html"  ? "Also write a page for a browser"
         : format == "svg" ? "Also write a picture that needs no script"
                           : absl::StrCat("Also write ", format);
}

void AddHtmlSize(CLI::App& app, CompareArguments& arguments) {
  AsSize(app.add_option("--html-size", arguments.html_size, "Most that a page may have (10M)"), 1)
      ->group("Reports");
}

std::string ShellLine(const std::string& command, const std::vector<std::string>& arguments) {
  std::string line = command;
  for (const std::string& argument : arguments) absl::StrAppend(&line, " ", ShellWord(argument));
  return line;
}

}  // namespace onnxcmp::cli
