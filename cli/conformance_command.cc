#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/runtimes/runtime_options.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "record/base/write_file.h"
#include "tools/backend_tests/backend_test.h"
#include "tools/backend_tests/conformance.h"

namespace onnxcmp::cli {
namespace {

struct ConformanceOptions {
  std::vector<std::string> folders;
  std::vector<std::string> names;
  std::string format = "table";
  std::string output;
  RuntimeArguments runtimes;
  RunOptions run;
};

// Each runtime has a thread, which asks it one test after the other.
absl::StatusOr<Conformance> RunAll(const ConformanceOptions& options) {
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> tests, FindBackendTests(options.folders));
  const OpRegistry registry = options.run.operators();
  const int64_t max_tensor = options.run.evaluator().max_tensor;
  Conformance conformance;
  std::vector<std::shared_ptr<Runtime>> runtimes;
  for (const std::string& name : options.names) {
    OC_ASSIGN_OR_RETURN(std::shared_ptr<Runtime> runtime, options.runtimes.Open(name, max_tensor));
    OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime->Start());
    conformance.columns.push_back({info.Text(), {}});
    conformance.columns.back().outcomes.resize(tests.size());
    runtimes.push_back(std::move(runtime));
  }
  const ThreadPool pool(static_cast<int>(runtimes.size()));
  pool.ParallelFor(static_cast<int64_t>(runtimes.size()), [&](int64_t i) {
    const auto column = static_cast<size_t>(i);
    BackendTestOptions testing;
    testing.load = options.run.load();
    testing.evaluator = options.run.evaluator();
    testing.runtime = runtimes[column].get();
    for (size_t t = 0; t < tests.size(); ++t) {
      conformance.columns[column].outcomes[t] = RunBackendTest(tests[t], registry, testing);
    }
  });
  for (size_t t = 0; t < tests.size(); ++t) {
    conformance.tests.push_back(conformance.columns[0].outcomes[t].name);
    conformance.operators.push_back(OperatorOf(tests[t], registry, options.run.load()));
  }
  return conformance;
}

}  // namespace

int ConformanceCommand(const std::vector<std::string>& arguments) {
  Interruption interruption;
  ConformanceOptions options;
  CLI::App app(
      "Runs backend tests in runtimes, and shows which operators each of them has, has\n"
      "wrong, refuses, or dies of.\n"
      "Exit status 0: done, 2: there was nothing to run.",
      "onnxcmp conformance");
  SetUsage(app, "onnxcmp conformance [OPTIONS] --runtime R... DIR...");
  app.add_option("DIR", options.folders, "Test folders, or folders of such")->type_name(" ");
  app.add_option("--runtime", options.names, "A runtime; repeatable; onnxcmp runtimes lists them")
      ->type_name("R[:K=V,...]")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--format", options.format, "table, json, markdown (table)")
      ->type_name("HOW")
      ->check(OneOf({"table", "json", "markdown"}));
  app.add_option("--output", options.output, "Write it to a file")->type_name("F");
  options.runtimes.AddLimits(app);
  options.run.AddTo(app);
  if (const std::optional<int> status = Parse(app, arguments, interruption)) return *status;
  if (options.names.empty() || options.folders.empty()) {
    PrintError(
        "a runtime and a folder are needed: onnxcmp conformance --runtime R DIR; see onnxcmp "
        "conformance --help");
    return kFailed;
  }
  const absl::StatusOr<Conformance> conformance = RunAll(options);
  if (!conformance.ok()) {
    PrintError(conformance.status().message());
    return kFailed;
  }
  const std::string text = options.format == "json"       ? ConformanceJson(*conformance)
                           : options.format == "markdown" ? ConformanceMarkdown(*conformance)
                                                          : ConformanceTable(*conformance);
  if (options.output.empty()) return PrintOutput(text) ? kAgree : kFailed;
  const absl::Status written = WriteFile(options.output, text);
  if (written.ok()) return kAgree;
  PrintError(written.message());
  return kFailed;
}

}  // namespace onnxcmp::cli
