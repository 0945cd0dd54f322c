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
#include "cli/compare_arguments.h"
#include "cli/comparison_options.h"
#include "cli/heap.h"
#include "cli/interruption.h"
#include "cli/messages.h"
#include "cli/side_comparison.h"
#include "cli/terminal.h"
#include "compare/comparison/exit_status.h"
#include "compare/reports/render_chain.h"
#include "compare/reports/render_table.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp::cli {
namespace {

class ChainComparison {
 public:
  ChainComparison(std::vector<std::string> models, CompareArguments arguments,
                  Interruption& interruption)
      : arguments_(std::move(arguments)),
        look_(LookOf(arguments_)),
        tools_(arguments_.run, interruption) {
    chain_.models = std::move(models);
    // All steps have the same inputs, so findings about nodes carry over to the next.
    if (!arguments_.share) return;
    tools_.seen.emplace(WantsLetters(arguments_));
    tools_.seen->with_inputs = true;
  }

  absl::StatusOr<int> Run() {
    const size_t count = chain_.models.size();
    for (size_t i = 0; i + 1 < count; ++i) {
      OC_ASSIGN_OR_RETURN(ChainStep step, Compare(i, i + 1));
      chain_.steps.push_back(std::move(step));
    }
    if (count > 2) {
      OC_ASSIGN_OR_RETURN(chain_.ends, Compare(0, count - 1));
    }
    const std::string text = arguments_.format == "json"
                                 ? RenderChainJson(chain_)
                                 : absl::StrCat(detail_, RenderChain(chain_, look_));
    if (!PrintOutput(text)) return kFailed;
    if (arguments_.timings) PrintTimings(tools_.timings);
    return ExitStatusOf(chain_);
  }

 private:
  absl::StatusOr<ChainStep> Compare(size_t left, size_t right) {
    ChainStep step;
    step.left = left;
    step.right = right;
    CompareArguments arguments = arguments_;
    arguments.left = chain_.models[left];
    arguments.right = chain_.models[right];
    const Side* known = left == 0 ? first_.get() : last_.get();
    const Side* known_right = left + 1 == right ? nullptr : last_.get();
    SideComparison comparison(arguments, tools_, {known, known_right});
    const absl::StatusOr<bool> done =
        comparison.Run([&](const Comparison& of_set, int64_t, int64_t, const std::string& name) {
          AddSet(name, of_set, &step);
          Detail(step, of_set);
          return absl::StatusOr<bool>(true);
        });
    if (!done.ok()) {
      return absl::Status(done.status().code(), absl::StrCat("step ", StepName(chain_, step), ": ",
                                                             done.status().message()));
    }
    PerSide<std::unique_ptr<Side>> sides = comparison.TakeSides();
    if (left == 0 && first_ == nullptr) first_ = std::move(sides.left);
    last_ = std::move(sides.right);
    return step;
  }

  // Keeps the table of the first failing step; of the two ends if each step passes.
  void Detail(const ChainStep& step, const Comparison& comparison) {
    if (!detail_.empty() || ExitStatusOf(comparison) == 0 || arguments_.format != "table") return;
    detail_ = absl::StrCat(StepName(chain_, step), "\n", RenderTable(comparison, look_), "\n");
  }

  const CompareArguments arguments_;
  const TableOptions look_;
  ComparisonTools tools_;
  Chain chain_;
  std::unique_ptr<Side> first_, last_;  // sides of the first model and of the last right one
  std::string detail_;
};

}  // namespace

int ChainCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  CompareArguments arguments;
  std::vector<std::string> models;
  CLI::App app(
      "Compares each model of a chain with the next, as passes of an optimizer or the\n"
      "tools of a pipeline leave them, and the first with the last: which step broke it?\n"
      "Shows the table of the first step that fails, and a line for each.\n"
      "Exit status: the worst of all steps, as onnxcmp LEFT RIGHT has it.",
      "onnxcmp chain");
  SetUsage(app, "onnxcmp chain [OPTIONS] MODEL MODEL ...");
  app.add_option("MODEL", models, "Models or recordings, in order")->type_name(" ");
  ComparisonOptions options(&arguments);
  options.AddInputs(app);
  options.AddTolerances(app);
  options.AddVerdict(app);
  options.AddTable(app);
  app.add_option("--format", arguments.format, "table, json (table)")
      ->type_name("HOW")
      ->check(Quietly(CLI::IsMember({"table", "json"})));
  options.AddRunning(app);
  if (const std::optional<int> status = Parse(app, command_line)) return *status;
  absl::Status status = options.Finish();
  if (status.ok() && models.size() < 2) {
    status =
        absl::InvalidArgumentError("two models at least are needed: onnxcmp chain MODEL MODEL ...");
  }
  if (!status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  ExpectModels(models);
  const absl::StatusOr<int> ran = ChainComparison(std::move(models), arguments, interruption).Run();
  if (ran.ok()) return *ran;
  PrintError(ran.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
