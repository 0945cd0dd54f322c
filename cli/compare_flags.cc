#include "cli/compare_flags.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/tolerances/pair_tolerance.h"

namespace onnxcmp::cli {

void ComparisonOptions::AddInputs(CLI::App& app) {
  app.add_option("--inputs", arguments_.inputs.inputs, "An .npz, or a folder of input_N.pb")
      ->group("Inputs")
      ->type_name("F");
  app.add_option("--sets", arguments_.sets, "Sets of inputs at most, where they are made up (4)")
      ->group("Inputs")
      ->type_name("N")
      ->check(Quietly(CLI::Range(1, 1000)));
  app.add_flag("--each", arguments_.inputs.each, "Each slice of the .npz is a set of inputs")
      ->group("Inputs");
}

void ComparisonOptions::AddTolerances(CLI::App& app) {
  app.add_option("--rtol", arguments_.tolerance.rtol, "Values agree if |a-b| <= atol +")
      ->group("Tolerances")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--atol", arguments_.tolerance.atol, "  rtol * max(|a|,|b|); default by type")
      ->group("Tolerances")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--tolerance", tolerances_, "NAME=RTOL,ATOL: for one result; repeatable")
      ->group("Tolerances")
      ->type_name("T")
      ->take_all()
      ->allow_extra_args(false);
}

void ComparisonOptions::AddVerdict(CLI::App& app) {
  app.add_flag("--partial", arguments_.partial, "Accept what only one side has")->group("Verdict");
  app.add_flag("--any-row-order", arguments_.any_row_order, "Accept recorded rows in another order")
      ->group("Verdict");
  app.add_option("--ties", ties_, "Ids that differ where scores tie (different)")
      ->group("Verdict")
      ->type_name("close")
      ->check(Quietly(CLI::IsMember({"different", "close"})));
  app.add_option("--output-types", output_types_, "Outputs float | float16 and the like (exact)")
      ->group("Verdict")
      ->type_name("close")
      ->check(Quietly(CLI::IsMember({"exact", "close"})));
  app.add_option("--fail-on", arguments_.fail_on, "Exit 1 if: different, causes, bits (different)")
      ->group("Verdict")
      ->type_name("WHAT")
      ->transform(Quietly(
          CLI::CheckedTransformer(std::map<std::string, FailOn>{{"different", FailOn::kDifferent},
                                                                {"causes", FailOn::kCauses},
                                                                {"bits", FailOn::kBits}})));
}

void ComparisonOptions::AddTable(CLI::App& app) {
  app.add_flag("--all", arguments_.all, "Show every row")->group("Table");
  app.add_flag("--different", arguments_.different, "Show only rows that differ")->group("Table");
  app.add_flag("--only-different", arguments_.only_different, "  without those of one side alone")
      ->group("Table");
  app.add_flag("--wide", arguments_.wide, "Show names whole")->group("Table");
  app.add_flag("--ascii", arguments_.ascii, "Show nothing but ASCII")->group("Table");
  app.add_option("--color", arguments_.color, "auto, always or never (auto)")
      ->group("Table")
      ->type_name("WHEN")
      ->check(Quietly(CLI::IsMember({"auto", "always", "never"})));
  app.add_option("--width", arguments_.width, "Columns (the terminal's)")
      ->group("Table")
      ->type_name("N")
      ->check(Quietly(CLI::Range(40, 10000)));
  app.add_option("--depth", arguments_.depth, "Levels of subgraphs whose results count (all)")
      ->group("Table")
      ->type_name("N")
      ->check(Quietly(CLI::Range(0, 1 << 20)));
}

void ComparisonOptions::AddRunning(CLI::App& app) {
  app.add_flag("--no-causes", no_causes_, "Do not search for causes");
  app.add_flag("--no-share", no_share_, "Run what both models compute alike twice");
  app.add_flag("--timings", arguments_.timings, "Say on standard error where the time went");
  AddSize(app, "--keep-values", arguments_.keep_values, "Bytes for values that differ (256M)");
  AddSize(app, "--search-memory", arguments_.search_memory,
          "Bytes for results that the search for causes\n"
          "needs at once; larger ones are not searched (4G)");
  arguments_.run.AddTo(app);
}

absl::Status ComparisonOptions::Finish() {
  arguments_.causes = !no_causes_;
  arguments_.share = !no_share_;
  arguments_.ties_agree = ties_ == "close";
  arguments_.tolerance.output_types_close = output_types_ == "close";
  for (const std::string& tolerance : tolerances_) {
    if (absl::Status status = AddNamedTolerance(tolerance, &arguments_.tolerance); !status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--tolerance: ", status.message()));
    }
  }
  if (arguments_.all && (arguments_.different || arguments_.only_different)) {
    return absl::InvalidArgumentError("--all and --different exclude each other");
  }
  if (arguments_.fail_on == FailOn::kCauses && (no_causes_ || arguments_.only_not_finite)) {
    return absl::InvalidArgumentError(absl::StrCat("--fail-on causes needs causes: it excludes ",
                                                   no_causes_ ? "--no-causes" : "--nan"));
  }
  return absl::OkStatus();
}

void AddHtmlSize(CLI::App& app, CompareArguments& arguments) {
  AddSize(app, "--html-size", arguments.html_size, "Most that a page may have (10M)", 1)
      ->group("Reports");
}

std::string ShellLine(const std::string& command, const std::vector<std::string>& arguments) {
  std::string line = command;
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

}  // namespace onnxcmp::cli
