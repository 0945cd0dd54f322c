#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/parts/given_model.h"
#include "cli/parts/pair_parts.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/process/progress.h"
#include "cli/process/time_option.h"
#include "cli/runtimes/runtime_options.h"
#include "evaluator/base/status_macros.h"
#include "tools/parts/part.h"
#include "tools/reduce/check_command.h"
#include "tools/reduce/command_test.h"
#include "tools/reduce/reduce.h"
#include "tools/reduce/runtime_test.h"
#include "tools/reduce/write_reduced.h"

namespace onnxcmp::cli {
namespace {

struct ReduceArguments {
  GivenModel model;
  std::string right;
  std::string check;
  std::string match;
  absl::Duration timeout = absl::Seconds(120);
  std::string against;
  std::string output;
  int jobs = 1;
  std::optional<double> rtol, atol;
  std::string fail_on = "different";
  RuntimeArguments runtimes;
};

// The line while it works.
class ReduceLine {
 public:
  void Set(const ReduceProgress& progress) {
    const std::lock_guard<std::mutex> lock(mutex_);
    progress_ = progress;
  }
  std::string Text(double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return absl::StrFormat("%d nodes, %d runs, %.0f s: %s", progress_.nodes, progress_.runs,
                           seconds, progress_.step);
  }

 private:
  std::mutex mutex_;
  ReduceProgress progress_;
};

absl::StatusOr<std::unique_ptr<FailureTest>> OpenTest(const ReduceArguments& arguments,
                                                      const OpRegistry& registry,
                                                      RunningChecks* running) {
  if (!arguments.check.empty()) {
    return CommandTest::Create(arguments.check, arguments.match, arguments.timeout, running);
  }
  std::vector<std::shared_ptr<Runtime>> runtimes;
  for (int i = 0; i < arguments.jobs; ++i) {
    OC_ASSIGN_OR_RETURN(
        std::shared_ptr<Runtime> runtime,
        arguments.runtimes.Open(arguments.against, arguments.model.run.evaluator().max_tensor));
    if (i == 0) OC_RETURN_IF_ERROR(runtime->Start().status());
    runtimes.push_back(std::move(runtime));
  }
  ToleranceOptions tolerances;
  tolerances.rtol = arguments.rtol;
  tolerances.atol = arguments.atol;
  return std::make_unique<RuntimeTest>(
      std::move(runtimes), arguments.against, tolerances, registry,
      KnownModelOptions{arguments.model.load(), arguments.model.run.evaluator()});
}

std::string Summary(const ReduceArguments& arguments, const Reduced& reduced) {
  const int nodes = reduced.best.model.proto.graph().node_size();
  std::string text = absl::StrCat(reduced.nodes_before, " -> ", nodes,
                                  nodes == 1 ? " node: " : " nodes: ", reduced.last.how, "\n");
  constexpr int kShown = 10;
  for (int i = 0; i < nodes && i < kShown; ++i) {
    const auto& node = reduced.best.model.proto.graph().node(i);
    absl::StrAppend(&text, "  ", node.op_type(), " ",
                    node.name().empty() ? node.output(0) : node.name(), "\n");
  }
  if (nodes > kShown) absl::StrAppend(&text, "  ... and ", nodes - kShown, " more\n");
  if (reduced.unstable) {
    absl::StrAppend(&text, "tried once more it did not fail: a matter of chance\n");
  }
  if (reduced.fails_without_nodes) {
    absl::StrAppend(&text, "none of the model's nodes is needed: it fails on any model\n");
  }
  absl::StrAppend(&text, reduced.runs, " runs");
  if (reduced.resumed > 0) absl::StrAppend(&text, ", ", reduced.resumed, " known from before");
  absl::StrAppend(&text, "; ", reduced.invalid, " candidates were not valid and not tried\n",
                  arguments.output, "/report.md has the text for a bug report\n");
  return text;
}

absl::StatusOr<std::string> RunReduce(const ReduceArguments& arguments,
                                      Interruption& interruption) {
  const GivenModel& given = arguments.model;
  ExpectModels({given.path});
  RunningChecks running;
  const OpRegistry registry = given.run.operators();
  OC_ASSIGN_OR_RETURN(FedModel model, given.Read(registry));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<FailureTest> test,
                      OpenTest(arguments, registry, &running));
  OC_RETURN_IF_ERROR(PrepareReducedFolder(arguments.output));

  ReduceLine line;
  std::mutex writing;  // a signal waits for the folder to be whole
  int best = 0;
  ReduceOptions options;
  options.model = {given.load(), given.run.evaluator()};
  options.jobs = arguments.jobs;
  options.journal = absl::StrCat(arguments.output, "/", kReduceJournal);
  options.progress = [&](const ReduceProgress& progress) { line.Set(progress); };
  options.on_better = [&](const Reduced& reduced) {
    const std::lock_guard<std::mutex> lock(writing);
    best = reduced.best.model.proto.graph().node_size();
    return WriteReduced(arguments.output, given.path, reduced, test.get());
  };
  interruption.CallAtEnd([&] {
    running.KillAll();
    const std::lock_guard<std::mutex> lock(writing);
    if (best > 0) {
      PrintNote(absl::StrCat("stopped; the best so far, of ", best, " nodes, is in ",
                             arguments.output, "; the same command goes on from there"));
    }
  });
  absl::StatusOr<Reduced> reduced;
  {
    const ProgressLine shown(given.run.quiet, interruption,
                             [&](double seconds) { return line.Text(seconds); });
    reduced = Reduce(std::move(model), registry, options, test.get());
  }
  interruption.CallAtEnd(nullptr);
  OC_RETURN_IF_ERROR(reduced.status());
  OC_RETURN_IF_ERROR(WriteReduced(arguments.output, given.path, *reduced, test.get()));
  return Summary(arguments, *reduced);
}

// The smallest parts of two models that differ.
absl::StatusOr<std::string> RunReducePair(const ReduceArguments& arguments,
                                          Interruption& interruption) {
  CompareArguments comparison = arguments.model.Beside(arguments.right);
  comparison.options.tolerance.rtol = arguments.rtol;
  comparison.options.tolerance.atol = arguments.atol;
  if (arguments.fail_on == "bits") comparison.options.fail_on = FailOn::kBits;
  return WriteReducedPair(comparison, arguments.output, interruption);
}

absl::Status CheckReduceArguments(const ReduceArguments& arguments) {
  const int ways = (arguments.check.empty() ? 0 : 1) + (arguments.against.empty() ? 0 : 1) +
                   (arguments.right.empty() ? 0 : 1);
  if (arguments.model.path.empty() || arguments.output.empty() || ways != 1) {
    return absl::InvalidArgumentError(
        "a model, a folder, and one of --check, --against and a second model are needed: onnxcmp "
        "reduce MODEL --check 'command {model}' -o DIR; see onnxcmp reduce --help");
  }
  if (!arguments.match.empty() && arguments.check.empty()) {
    return absl::InvalidArgumentError("--match is for what a --check writes");
  }
  if (arguments.output.ends_with(".onnx")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "-o ", arguments.output, ": the result is a folder with model.onnx, its data and a text"));
  }
  return absl::OkStatus();
}

}  // namespace

int ReduceCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  ReduceArguments arguments;
  CLI::App app(
      "Finds a small model that still fails in the same way: fewer nodes first, fed with\n"
      "the values that they have in a run of the whole model, then fewer attributes, inputs\n"
      "and outputs, smaller shapes, simpler numbers. Every candidate is valid ONNX.\n"
      "\n"
      "  onnxcmp reduce m.onnx --check 'python run.py {model} {inputs}' -o small\n"
      "  onnxcmp reduce m.onnx --against onnxruntime -o small\n"
      "  onnxcmp reduce a.onnx b.onnx -o small\n"
      "\n"
      "The folder has model.onnx, inputs and our outputs as a backend test, check.sh, and\n"
      "report.md for the bug report. After Ctrl-C it has the best so far; the same command\n"
      "goes on from there.\n"
      "Exit status 0: done, 2: an error, or the model does not fail.",
      "onnxcmp reduce");
  SetUsage(app, "onnxcmp reduce [OPTIONS] MODEL (--check COMMAND | --against R | RIGHT) -o DIR");
  app.add_option("MODEL", arguments.model.path, "The model: .onnx, or .onnxtxt as text")
      ->type_name(" ");
  app.add_option("RIGHT", arguments.right,
                 "Another model: the smallest parts of both whose outputs differ, fed with the "
                 "left's values")
      ->type_name(" ");
  app.add_option("--check", arguments.check,
                 "A command for the shell that fails; {model} is the path of a model, {inputs} "
                 "and {outputs} of an .npz, {folder} of a backend test")
      ->type_name("COMMAND");
  app.add_option("--match", arguments.match,
                 "A line of its output has to match, too: a regular expression")
      ->type_name("REGEX");
  AddTime(app, "--timeout", arguments.timeout,
          "The longest that it takes (120s); a command that hangs fails, too");
  app.add_option("--against", arguments.against,
                 "A runtime that crashes, refuses the model, or has other outputs than we")
      ->type_name("R[:K=V,...]");
  app.add_option("-o,--output", arguments.output, "The folder that is written")->type_name("DIR");
  app.add_option("--jobs", arguments.jobs, "Candidates that are tried at a time (1)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(1, 256)));
  app.add_option("--rtol", arguments.rtol, "Relative tolerance of outputs (by type)")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--atol", arguments.atol, "Absolute tolerance of outputs (by type)")
      ->type_name("X")
      ->check(NotNegative());
  app.add_option("--fail-on", arguments.fail_on,
                 "Of two models: `different`, beyond tolerance, or `bits` (different)")
      ->type_name("WHAT")
      ->check(OneOf({"different", "bits"}));
  arguments.runtimes.AddLimits(app);
  arguments.model.AddTo(app);
  if (const std::optional<int> status = Parse(app, command_line, interruption)) return *status;
  if (const absl::Status status = CheckReduceArguments(arguments); !status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  const absl::StatusOr<std::string> summary = arguments.right.empty()
                                                  ? RunReduce(arguments, interruption)
                                                  : RunReducePair(arguments, interruption);
  if (!summary.ok()) {
    PrintError(summary.status().message());
    return kFailed;
  }
  return PrintOutput(*summary) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
