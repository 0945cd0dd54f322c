#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/compare_flags.h"
#include "cli/compare_session.h"
#include "cli/mend_step.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/process/terminal.h"
#include "compare/outcome/chain.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "compare/outcome/model_changes.h"
#include "compare/outputs/compared_row.h"
#include "evaluator/base/status_macros.h"
#include "record/base/write_file.h"
#include "record/recordings/value_folder.h"
#include "record/runtimes/runtime.h"
#include "reports/render_chain.h"
#include "reports/render_html.h"
#include "reports/render_table.h"
#include "reports/table/render_fix.h"
#include "show/drawing.h"
#include "show/drawing_json.h"
#include "show/model/node_selection.h"
#include "show/model/pair_nodes.h"
#include "show/model/read_shown_model.h"
#include "show/model/shown_model.h"
#include "tools/fix/fix_report.h"
#include "tools/reduce/subset_search.h"

namespace onnxcmp::cli {
namespace {

constexpr const char* kChainReports[] = {"html", "json", "markdown", "junit"};

bool HasSameOutputs(const Comparison& comparison) {
  return comparison.verdict() == Verdict::kSame && onnxcmp::ExitStatusOf(comparison) == 0 &&
         comparison.causes.empty();
}

bool HasSameRows(const Comparison& comparison) {
  return std::all_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparedRow& row) {
    return row.aligned.paired() && row.relation == Relation::kSame;
  });
}

// True if names alone may be others.
bool HasSameNodes(const ModelChanges& changes) {
  return changes.models && changes.left_nodes == changes.right_nodes && changes.operators.empty() &&
         changes.constants == 0 && changes.attributes == 0;
}

class ChainComparison {
 public:
  // `runtimes`: what each of the models runs in; none: our interpreter.
  ChainComparison(std::vector<std::string> models, std::vector<std::string> runtimes,
                  CompareArguments arguments, Interruption& interruption)
      : arguments_(WithoutFix(arguments)),
        mending_(std::move(arguments)),
        runtimes_(std::move(runtimes)),
        look_(LookOf(arguments_)),
        tools_(arguments_.run, interruption) {
    files_ = std::move(models);
    chain_.models = runtimes_.empty() ? files_ : runtimes_;
    // All steps have the same inputs, so findings about nodes carry over to the next.
    if (!arguments_.options.share) return;
    tools_.seen.emplace(WantsLetters(arguments_));
    tools_.seen->with_inputs = true;
  }

  absl::StatusOr<int> Run() {
    const size_t count = chain_.models.size();
    for (size_t i = 0; i + 1 < count; ++i) {
      OC_ASSIGN_OR_RETURN(ChainStep step, Compare(i, i + 1));
      chain_.steps.push_back(std::move(step));
      chain_.against_first.emplace_back();
      if (i == 0) continue;
      if (i + 2 < count && HasOutcomeOfBefore(i)) {
        chain_.against_first.back() = BeforeBesideFirst(i);
        chain_.against_first.back()->right = i + 1;
        continue;
      }
      OC_ASSIGN_OR_RETURN(chain_.against_first.back(), Compare(0, i + 1));
    }
    OC_RETURN_IF_ERROR(FindOptimizers());
    if (!mending_.fix.empty()) Mend();
    OC_RETURN_IF_ERROR(WriteReports());
    if (!PrintOutput(Report(arguments_.format))) return kFailed;
    if (arguments_.timings) PrintTimings(tools_.timings);
    return ExitStatusOf(chain_);
  }

 private:
  // Always with the search for causes, if the user wants it: a verdict may depend on causes.
  absl::StatusOr<ChainStep> Compare(size_t left, size_t right) {
    ChainStep step;
    step.left = left;
    step.right = right;
    CompareArguments arguments = arguments_;
    arguments.left = files_[left];
    arguments.right = files_[right];
    arguments.prove =
        arguments_.prove && (IsShownWhole(left, right) || arguments_.fail_on_rewrites);
    if (!runtimes_.empty()) {
      // The first is our interpreter.
      if (left > 0) arguments.runtimes.names.left = runtimes_[left];
      arguments.runtimes.names.right = runtimes_[right];
    }
    if (!runtimes_.empty()) return CompareWith({nullptr, nullptr}, arguments, std::move(step));
    const Side* known = left == 0 ? first_.get() : last_.get();
    const Side* known_right = left + 1 == right ? nullptr : last_.get();
    return CompareWith({known, known_right}, arguments, std::move(step));
  }

  // True for steps, and for the last model beside the first; others show their verdict alone.
  bool IsShownWhole(size_t left, size_t right) const {
    return right == left + 1 || right + 1 == files_.size();
  }

  absl::StatusOr<ChainStep> CompareWith(PerSide<const Side*> opened,
                                        const CompareArguments& arguments, ChainStep step) {
    const bool is_step = step.right == step.left + 1;
    const bool whole = IsShownWhole(step.left, step.right);
    CompareSession comparison(arguments, tools_, opened);
    std::string page;
    bool same_outputs = runtimes_.empty(), same_rows = true;
    const absl::StatusOr<bool> done =
        comparison.Run([&](const Comparison& of_set, int64_t, int64_t, const std::string& name) {
          const bool worst = AddSet(name, of_set, &step);
          same_outputs = same_outputs && HasSameOutputs(of_set);
          same_rows = same_rows && HasSameRows(of_set);
          if (!whole) return absl::StatusOr<bool>(true);
          if (worst && WantsReport(arguments_, "html")) page = DataOf(of_set);
          Detail(step, of_set);
          return absl::StatusOr<bool>(true);
        });
    if (!done.ok()) {
      return absl::Status(done.status().code(), absl::StrCat("step ", StepName(chain_, step), ": ",
                                                             done.status().message()));
    }
    if (whole) pages_.push_back(std::move(page));
    if (is_step) {
      same_outputs_ = same_outputs;
      same_model_ = same_outputs && same_rows && HasSameNodes(step.counts);
    }
    PerSide<std::unique_ptr<Side>> sides = comparison.TakeSides();
    if (!runtimes_.empty()) return step;
    if (step.left == 0 && first_ == nullptr) first_ = std::move(sides.left);
    last_ = std::move(sides.right);
    return step;
  }

  // The first model beside the one before step i, which is not the first.
  const ChainStep& BeforeBesideFirst(size_t i) const {
    return i == 1 ? chain_.steps[0] : *chain_.against_first[i - 1];
  }

  // True if the model after step i, the last one, has the outcome beside the first that the model
  // before has: it is that model, or all three have the same outputs. Otherwise equal outputs say
  // little: tolerances and causes depend on what is quantized, and on forms that are known.
  bool HasOutcomeOfBefore(size_t i) const {
    const SetSummary& before = BeforeBesideFirst(i).worst;
    const bool all_same =
        same_outputs_ && before.verdict == Verdict::kSame && before.exit_status == 0 &&
        arguments_.options.fail_on != FailOn::kCauses && !arguments_.fail_on_rewrites;
    return same_model_ || all_same;
  }

  std::string DataOf(const Comparison& comparison) const {
    HtmlOptions options;
    options.most_bytes = MostBytes();
    options.parts = Parts();
    return PageData(comparison, options);
  }

  // Of the page: the steps, the two ends and the graphs; of two models the one step.
  size_t Parts() const { return chain_.models.size() > 2 ? chain_.models.size() + 1 : 1; }

  size_t MostBytes() const {
    return arguments_.html_size.has_value() ? static_cast<size_t>(*arguments_.html_size)
                                            : HtmlOptions().most_bytes;
  }

  // All models side by side as their structure pairs them; "" if a file is no model, or if they
  // take more than their share of the page.
  std::string Graphs() const {
    if (!runtimes_.empty() || files_.size() < 3) return "";
    const OpRegistry registry = arguments_.run.operators();
    ShowOptions options;
    options.functions = Functions::kInline;
    options.contents = true;
    options.follow_links = arguments_.run.follow_links;
    std::vector<ShownModel> shown;
    for (const std::string& file : files_) {
      absl::StatusOr<ShownModel> model = ReadShownModel(file, registry, options);
      if (!model.ok()) return "";
      shown.push_back(*std::move(model));
    }
    std::vector<const ShownModel*> models;
    std::vector<std::vector<NodePair>> pairs;
    for (const ShownModel& model : shown) {
      if (!models.empty()) pairs.push_back(PairNodes(models.back()->graph, model.graph));
      models.push_back(&model);
    }
    std::string graphs =
        DrawingJson(DrawModels(models, pairs, std::vector<NodeSelection>(models.size())));
    return graphs.size() > MostBytes() / Parts() ? "" : graphs;
  }

  std::string Report(const std::string& format) const {
    const FixReport* const fix = fix_.has_value() ? &*fix_ : nullptr;
    if (format == "json") return RenderChainJson(chain_, "", fix);
    if (format == "junit") return RenderChainJunit(chain_);
    if (format == "markdown") return RenderChainMarkdown(chain_, fix);
    if (format == "html") return RenderChainHtml(chain_, pages_, arguments_.command, Graphs());
    const std::string mended = fix == nullptr ? "" : RenderFix(*fix, look_);
    return RenderChain(chain_, absl::StrCat(detail_, mended), look_);
  }

  absl::Status WriteReports() const {
    for (const auto& [format, path] : arguments_.reports) {
      OC_RETURN_IF_ERROR(WriteFile(path, Report(format)));
    }
    return absl::OkStatus();
  }

  static std::vector<std::string> OptimizersAt(const std::vector<std::string>& all,
                                               const std::vector<int>& places) {
    std::vector<std::string> some;
    for (const int place : places) some.push_back(all[static_cast<size_t>(place)]);
    return some;
  }

  // Mends the model of the first step that fails; if each passes, the last one beside the first.
  void Mend() {
    const std::optional<size_t> broken = BrokenBy(chain_);
    const ChainStep* failing = broken.has_value() ? &chain_.steps[*broken] : chain_.ends();
    fix_.emplace();
    fix_->nothing_to_mend = failing == nullptr || failing->worst.exit_status == 0;
    if (fix_->nothing_to_mend) return;
    mending_.left = files_[failing->left];
    mending_.right = files_[failing->right];
    fix_ = MendStep(mending_, tools_);
  }

  // Finds which of a runtime's optimizers break the first failing step: none may run, then fewer
  // and fewer of those that may not.
  absl::Status FindOptimizers() {
    const std::optional<size_t> failing = BrokenBy(chain_);
    if (runtimes_.empty() || !failing.has_value() ||
        chain_.steps[*failing].worst.verdict != Verdict::kDifferent) {
      return absl::OkStatus();
    }
    const size_t right = chain_.steps[*failing].right;
    if (right < 2 || absl::StrContains(runtimes_[right], "disable=")) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(
        const std::shared_ptr<Runtime> runtime,
        arguments_.runtimes.Open(runtimes_[right], arguments_.run.evaluator().max_tensor));
    OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime->Start());
    OC_ASSIGN_OR_RETURN(const bool passes, PassesWithout(right, info.optimizers));
    if (!passes) return absl::OkStatus();
    SubsetQuestions questions;
    questions.holds = [&](const std::vector<int>& set) {
      return PassesWithout(right, OptimizersAt(info.optimizers, set));
    };
    OC_ASSIGN_OR_RETURN(const std::vector<int> needed,
                        SmallSubset(static_cast<int>(info.optimizers.size()), questions));
    chain_.optimizers = OptimizersAt(info.optimizers, needed);
    return absl::OkStatus();
  }

  absl::StatusOr<bool> PassesWithout(size_t right, const std::vector<std::string>& optimizers) {
    if (optimizers.empty()) return false;
    CompareArguments arguments = arguments_;
    arguments.options.causes = false;
    arguments.left = files_[right - 1];
    arguments.right = files_[right];
    arguments.runtimes.names.left = runtimes_[right - 1];
    arguments.runtimes.names.right =
        absl::StrCat(runtimes_[right], ",disable=", absl::StrJoin(optimizers, "+"));
    bool passes = true;
    CompareSession comparison(arguments, tools_);
    OC_RETURN_IF_ERROR(
        comparison
            .Run([&](const Comparison& of_set, int64_t, int64_t, const std::string&) {
              passes = passes && ExitStatusOf(of_set) == 0;
              return absl::StatusOr<bool>(true);
            })
            .status());
    return passes;
  }

  // Keeps the table of the first failing step; of the two ends if each step passes. `step` is not
  // yet part of the chain.
  void Detail(const ChainStep& step, const Comparison& comparison) {
    if (!detail_.empty() || ExitStatusOf(comparison) == 0 || arguments_.format != "table") return;
    detail_ = absl::StrCat(StepName(chain_, step), "\n", RenderTable(comparison, look_));
  }

  const CompareArguments arguments_;
  CompareArguments mending_;  // the same with --fix
  const std::vector<std::string> runtimes_;
  std::vector<std::string> files_;
  const TableOptions look_;
  ComparisonTools tools_;
  Chain chain_;
  bool same_outputs_ = false;           // those of both models of the last step
  bool same_model_ = false;             // names at most are others
  std::unique_ptr<Side> first_, last_;  // sides of the first model and of the last right one
  std::string detail_;
  std::optional<FixReport> fix_;
  std::vector<std::string> pages_;  // the reports of steps and ends, if there will be a page
};

// The models of a folder, pass_2 before pass_10.
absl::StatusOr<std::vector<std::string>> ModelsOf(const std::string& folder) {
  OC_ASSIGN_OR_RETURN(const FolderContents contents, LookInto(folder));
  std::vector<std::string> models;
  for (const std::string& name : contents.models) {
    models.push_back((std::filesystem::path(folder) / name).string());
  }
  return models;
}

// Our interpreter, then a runtime with ever more of its optimizations.
std::vector<std::string> LevelsOf(const std::string& runtime, const std::string& disable) {
  const char* separator = absl::StrContains(runtime, ':') ? "," : ":";
  std::vector<std::string> levels = {"onnxcmp"};
  for (const char* level : {"none", "basic", "extended", "all"}) {
    levels.push_back(absl::StrCat(runtime, separator, "optimization=", level));
  }
  for (const absl::string_view name : absl::StrSplit(disable, ',', absl::SkipEmpty())) {
    levels.push_back(absl::StrCat(runtime, separator, "disable=", name));
  }
  return levels;
}

void AddLevels(CLI::App& app, std::string& levels, std::string& disable) {
  app.add_option("--levels", levels, "One model, at each level of a runtime")
      ->group("Runtimes")
      ->type_name("R[:K=V,...]");
  app.add_option("--disable", disable, "Then without each of these optimizers: A,B")
      ->group("Runtimes")
      ->type_name("NAMES");
}

absl::Status CheckFixOfChain(const CompareArguments& arguments, const std::string& model,
                             const std::string& levels) {
  if (levels.empty() || arguments.fix.empty()) return CheckFix(arguments);
  return absl::InvalidArgumentError(
      absl::StrCat("--fix excludes --levels: a way around a runtime is written by onnxcmp ", model,
                   " --against ", levels, " --fix ", arguments.fix));
}

// Adds the files of reports to the arguments.
absl::Status TakeReports(const std::map<std::string, std::string>& files,
                         const std::vector<std::string>& models, CompareArguments* arguments) {
  std::vector<std::string> read = models, written = {arguments->fix, arguments->fix_script};
  read.push_back(arguments->inputs.inputs);
  for (const auto& [format, path] : files) {
    if (!path.empty()) arguments->reports.emplace_back(format, path);
    written.push_back(path);
  }
  return CheckWritten(written, read);
}

}  // namespace

int ChainCommand(const std::vector<std::string>& command_line) {
  if (std::find(command_line.begin(), command_line.end(), "--generate") != command_line.end()) {
    return ChainGeneration(command_line);
  }
  Interruption interruption;
  CompareArguments arguments;
  std::vector<std::string> models;
  CLI::App app(
      "Compares each model of a chain with the next, as passes of an optimizer or the\n"
      "tools of a pipeline leave them, and with the first: which step broke it? Shows\n"
      "a line for each step, what it changed, and the first one that fails as a table.\n"
      "Exit status: the worst of all steps, as onnxcmp LEFT RIGHT has it.",
      "onnxcmp chain");
  SetUsage(app, "onnxcmp chain [OPTIONS] MODEL MODEL ...");
  app.add_option("MODEL", models, "Models or recordings, in order, or their folder")
      ->type_name(" ");
  app.add_flag_function(
      "--generate", [](int64_t) {}, "Decoders step by step: see chain --generate --help");
  CompareFlags options(&arguments);
  options.AddInputs(app);
  options.AddTolerances(app);
  options.AddVerdict(app);
  options.AddTable(app);
  app.add_flag("--prove", arguments.prove, "Prove each step equal for all inputs")
      ->group(kDiagnosis);
  options.AddFix(app);
  std::vector<std::string> formats(std::begin(kChainReports), std::end(kChainReports));
  formats.emplace_back("table");
  app.add_option("--format", arguments.format, "Print html, json, markdown, junit (table)")
      ->group("Reports")
      ->type_name("HOW")
      ->check(OneOf(formats));
  std::string levels, disable;
  AddLevels(app, levels, disable);
  arguments.runtimes.AddLimits(app);
  std::map<std::string, std::string> files;  // paths by format
  for (const char* format : kChainReports) {
    app.add_option(absl::StrCat("--", format), files[format], AlsoWrite(format))
        ->group("Reports")
        ->type_name("F");
  }
  AddHtmlSize(app, arguments);
  options.AddRunning(app);
  if (const std::optional<int> status = Parse(app, command_line, interruption)) return *status;
  absl::Status status = options.Finish();
  std::vector<std::string> runtimes;
  if (status.ok() && !levels.empty() && models.size() == 1) {
    runtimes = LevelsOf(levels, disable);
    models.resize(runtimes.size(), models.front());
  } else if (status.ok() && !levels.empty()) {
    status = absl::InvalidArgumentError("--levels needs one model: onnxcmp chain MODEL --levels R");
  }
  if (status.ok() && levels.empty() && models.size() == 1 &&
      std::filesystem::is_directory(models.front())) {
    absl::StatusOr<std::vector<std::string>> found = ModelsOf(models.front());
    status = found.status();
    if (found.ok()) models = *std::move(found);
  }
  if (status.ok() && models.size() < 2) {
    status =
        absl::InvalidArgumentError("two models at least are needed: onnxcmp chain MODEL MODEL ...");
  }
  if (status.ok()) status = CheckFixOfChain(arguments, models[0], levels);
  status.Update(TakeReports(files, models, &arguments));
  if (!status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  arguments.command = ShellLine("onnxcmp chain", command_line);
  ExpectModels(models);
  const absl::StatusOr<int> ran =
      ChainComparison(std::move(models), std::move(runtimes), arguments, interruption).Run();
  if (ran.ok()) return *ran;
  PrintError(ran.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
