#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/runtimes/runtime_options.h"
#include "evaluator/base/thread_pool.h"
#include "record/base/write_file.h"
#include "reports/junit_suite.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp::cli {
namespace {

std::string Text(const BackendTestOutcome& outcome) {
  return absl::StrCat(outcome.passed ? "passed  " : "FAILED  ", outcome.folder, "\n", outcome.text);
}

absl::Status WriteJunit(const std::string& path, const std::vector<BackendTestOutcome>& outcomes,
                        const std::string& summary) {
  JunitSuite suite;
  for (const BackendTestOutcome& outcome : outcomes) {
    const std::string message = outcome.text.substr(0, outcome.text.find('\n'));
    suite.Add("backend", outcome.name, outcome.passed ? "" : "failure", message, outcome.text);
  }
  return WriteFile(path, suite.Take("onnxcmp test", summary));
}

// Prints the outcomes and writes them as JUnit, if a file is named. The exit status.
int Report(const std::vector<BackendTestOutcome>& outcomes, const std::string& junit, bool quiet) {
  std::string report;
  int64_t failed = 0;
  for (const BackendTestOutcome& outcome : outcomes) {
    if (!outcome.passed) ++failed;
    if (!outcome.passed || (!quiet && !outcome.text.empty())) {
      absl::StrAppend(&report, Text(outcome));
    }
  }
  const std::string summary = absl::StrCat(static_cast<int64_t>(outcomes.size()) - failed,
                                           " passed, ", failed, " failed\n");
  if (!junit.empty()) {
    if (const absl::Status status = WriteJunit(junit, outcomes, summary); !status.ok()) {
      PrintError(status.message());
      return kFailed;
    }
  }
  if (!PrintOutput(absl::StrCat(report, summary))) return kFailed;
  return failed > 0 ? kDiffer : kAgree;
}

}  // namespace

int TestCommand(const std::vector<std::string>& arguments) {
  Interruption interruption;
  std::vector<std::string> folders;
  std::string junit;
  bool expand_functions = false;
  RunOptions run;
  BackendTestOptions options;
  CLI::App app(
      "Runs tests in the layout of ONNX's backend tests: model.onnx beside\n"
      "test_data_set_N/input_N.pb and output_N.pb.\n"
      "Exit status 0: all passed, 1: some failed, 2: there was nothing to run.",
      "onnxcmp test");
  SetUsage(app, "onnxcmp test [OPTIONS] DIR...");
  app.add_option("DIR", folders, "Test folders, or folders of such")->type_name(" ");
  std::optional<double> rtol;
  std::optional<double> atol;
  app.add_option("--rtol", rtol, "Floats agree if |a-b| <= atol + (0.001)")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--atol", atol, "  rtol * max(|a|,|b|) (1e-7)")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--junit", junit, "Write a report as JUnit XML")->type_name("F");
  AddExpandFunctions(app, expand_functions);
  std::string name;
  RuntimeArguments runtimes;
  app.add_option("--runtime", name, "Run them in a runtime; onnxcmp runtimes lists them")
      ->group("Runtimes")
      ->type_name("R[:K=V,...]");
  runtimes.AddLimits(app);
  run.AddTo(app);
  if (const std::optional<int> status = Parse(app, arguments, interruption)) return *status;
  if (folders.empty()) {
    PrintError("a folder is needed: onnxcmp test DIR...; see onnxcmp test --help");
    return kFailed;
  }
  const absl::StatusOr<std::vector<std::string>> tests = FindBackendTests(folders);
  if (!tests.ok()) {
    PrintError(tests.status().message());
    return kFailed;
  }
  if (rtol.has_value() || atol.has_value()) {
    options.tolerance = kBackendTestTolerance;
    options.tolerance->rtol = rtol.value_or(kBackendTestTolerance.rtol);
    options.tolerance->atol = atol.value_or(kBackendTestTolerance.atol);
  }
  options.load = run.load();
  options.evaluator = run.evaluator();
  options.evaluator.expand_functions = expand_functions;
  std::shared_ptr<Runtime> runtime;
  if (!name.empty()) {
    absl::StatusOr<std::shared_ptr<Runtime>> opened =
        runtimes.Open(name, options.evaluator.max_tensor);
    absl::Status started = opened.status();
    if (started.ok()) started = (*opened)->Start().status();
    if (!started.ok()) {
      PrintError(started.message());
      return kFailed;
    }
    runtime = *std::move(opened);
    options.runtime = runtime.get();
  }
  // Tests side by side rather than the threads of one; of a runtime one after the other.
  const ThreadPool pool(runtime != nullptr ? 1 : ThreadCount(run.threads));
  options.evaluator.threads = 1;
  const OpRegistry registry = run.operators();
  std::vector<BackendTestOutcome> outcomes(tests->size());
  pool.ParallelFor(static_cast<int64_t>(tests->size()), [&](int64_t i) {
    const auto index = static_cast<size_t>(i);
    outcomes[index] = RunBackendTest((*tests)[index], registry, options);
  });
  return Report(outcomes, junit, run.quiet);
}

}  // namespace onnxcmp::cli
