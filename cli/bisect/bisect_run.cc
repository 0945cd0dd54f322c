#include "cli/bisect/bisect_run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/mend_step.h"
#include "cli/process/messages.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "evaluator/base/status_macros.h"
#include "record/base/per_side.h"
#include "record/base/write_file.h"
#include "record/streams/hash128.h"
#include "record/streams/xxh128.h"
#include "record/text/display_text.h"
#include "reports/render_bisection.h"
#include "reports/render_chain.h"
#include "reports/render_table.h"
#include "reports/table/render_fix.h"
#include "tools/bisect/bisect_log.h"
#include "tools/bisect/placeholders.h"

namespace onnxcmp::cli {
namespace {

constexpr int kGitSkips = 125;       // "cannot be judged", as git bisect run has it
constexpr int kNotExecutable = 126;  // a shell's words for a command that it cannot start
constexpr int kNoCommand = 127;
constexpr int64_t kMostHashed = int64_t{64} << 20;  // bytes of a file
constexpr char kFolder[] = "onnxcmp-bisect";
constexpr char kSameBytes[] = "the same bytes as ";

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return absl::PermissionDeniedError(absl::StrCat("cannot make the folder ", path));
  return absl::OkStatus();
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::string BytesOf(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// A key of all that a model's file says; "" if that is large, or in other files, too.
std::string KeyOf(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > kMostHashed) return "";
  const std::string bytes = BytesOf(path);
  if (absl::StrContains(bytes, "location")) return "";  // of external data
  const Hash128 hash = HashOfText(bytes);
  return absl::StrFormat("%d %016x%016x", size, hash.high, hash.low);
}

// True for a model that says nothing about its candidate: our interpreter lacks something.
bool IsOurLimit(const absl::Status& status) {
  return absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
}

}  // namespace

BisectRun::BisectRun(const BisectArguments& arguments, std::vector<BisectCandidate> candidates,
                     Interruption& interruption)
    : arguments_(arguments),
      candidates_(std::move(candidates)),
      look_(LookOf(arguments.compare)),
      folder_(arguments.folder),
      tools_(arguments.compare.run, interruption),
      search_(candidates_.size()) {
  for (const BisectCandidate& candidate : candidates_) {
    bisection_.candidates.push_back(candidate.name);
  }
  bisection_.check = arguments.check;
  if (folder_.empty() && runs_commands()) folder_ = kFolder;
  if (!arguments.compare.options.share) return;
  // All comparisons have the same inputs.
  tools_.seen.emplace(WantsLetters(arguments.compare));
  tools_.seen->with_inputs = true;
}

bool BisectRun::runs_commands() const {
  return !arguments_.command.empty() || !arguments_.check.empty();
}

std::string BisectRun::FolderOf(size_t candidate) const {
  return absl::StrCat(folder_, "/", candidate);
}

std::string BisectRun::ModelOf(size_t candidate) const {
  const std::string& file = candidates_[candidate].file;
  if (!file.empty() || arguments_.command.empty()) return file;
  return absl::StrCat(FolderOf(candidate), "/model.onnx");
}

std::string BisectRun::OutputOf(size_t candidate) const {
  return absl::StrCat(FolderOf(candidate), "/output.txt");
}

std::string BisectRun::LogFile() const { return absl::StrCat(folder_, "/log.txt"); }

bool BisectRun::Print(const std::string& text) const {
  if (arguments_.compare.format == "table") return PrintOutput(text);
  if (!arguments_.compare.run.quiet) PrintNote(absl::StripSuffix(text, "\n"));
  return true;
}

absl::StatusOr<ShellEnd> BisectRun::RunCommand(size_t candidate, const std::string& command) {
  const std::string line = FillIn(command, {{"{n}", candidates_[candidate].value},
                                            {"{}", candidates_[candidate].value},
                                            {"{in}", arguments_.model},
                                            {"{out}", ModelOf(candidate)},
                                            {"{model}", ModelOf(candidate)}});
  if (!shell_.has_value()) {
    OC_ASSIGN_OR_RETURN(ShellLines shell, ShellLines::Create());
    shell_.emplace(std::move(shell));
  }
  const std::string output = OutputOf(candidate);
  OC_RETURN_IF_ERROR(MakeFolder(FolderOf(candidate)));
  std::ofstream(output, std::ios::app) << "$ " << line << "\n";
  OC_ASSIGN_OR_RETURN(ShellEnd end, shell_->Run(line, output, arguments_.limit));
  std::ofstream(output, std::ios::app) << "# " << end.Text() << "\n";
  return end;
}

absl::StatusOr<std::string> BisectRun::Make(size_t candidate) {
  if (!candidates_[candidate].file.empty() || arguments_.command.empty()) return std::string();
  // Nothing of a run that was interrupted.
  std::error_code ignored;
  std::filesystem::remove_all(FolderOf(candidate), ignored);
  OC_ASSIGN_OR_RETURN(const ShellEnd end, RunCommand(candidate, arguments_.command));
  if (end.status == kNoCommand || end.status == kNotExecutable) {
    return absl::NotFoundError(absl::StrCat("the command cannot be run (", end.Text(), "); ",
                                            OutputOf(candidate), " has its output"));
  }
  if (!end.ok()) return absl::StrCat("not made: ", end.Text());
  if (!Exists(ModelOf(candidate))) return std::string("not made: the command wrote no {out}");
  return std::string();
}

absl::StatusOr<BisectRun::Compared> BisectRun::CompareModels(const std::string& left,
                                                             const std::string& right) {
  Compared compared;
  CompareArguments arguments = WithoutFix(arguments_.compare);
  arguments.left = left;
  arguments.right = right;
  const bool from_reference = left == reference_;
  CompareSession session(arguments, tools_,
                         {from_reference ? reference_side_.get() : nullptr, nullptr});
  const auto take = [&](const Comparison& comparison) {
    compared.left.Update(comparison.left_summary.status);
    compared.right.Update(comparison.right_summary.status);
    compared.both.Update(comparison.status);
  };
  const absl::StatusOr<bool> done =
      session.Run([&](const Comparison& of_set, int64_t, int64_t, const std::string& name) {
        AddSet(name, of_set, &compared.step);
        take(of_set);
        if (compared.table.empty() && onnxcmp::ExitStatusOf(of_set) != 0) {
          compared.table = RenderTable(of_set, look_);
        }
        return absl::StatusOr<bool>(true);
      });
  if (!done.ok()) {
    const Comparison failed = session.FailedComparison(done.status());
    take(failed);
    compared.step.worst = SummaryOf("", failed);
    compared.step.worst.text = std::string(done.status().message());
  }
  PerSide<std::unique_ptr<Side>> sides = session.TakeSides();
  if (from_reference && reference_side_ == nullptr) reference_side_ = std::move(sides.left);
  return compared;
}

absl::StatusOr<BisectTrial> BisectRun::Check(size_t candidate, BisectTrial trial) {
  OC_ASSIGN_OR_RETURN(const ShellEnd end, RunCommand(candidate, arguments_.check));
  trial.seconds += end.seconds;
  trial.output = OutputOf(candidate);
  if (end.status == kNoCommand || end.status == kNotExecutable) {
    return absl::NotFoundError(absl::StrCat("the check cannot be run (", end.Text(), "); ",
                                            trial.output, " has its output"));
  }
  trial.judged = end.status != kGitSkips;
  trial.answer = end.ok() ? Answer::kGood : end.status == kGitSkips ? Answer::kSkip : Answer::kBad;
  trial.text = absl::StrCat("check: ", end.Text());
  return trial;
}

absl::StatusOr<BisectTrial> BisectRun::CompareWithReference(size_t candidate, BisectTrial trial) {
  if (TakeAnswerOfSame(candidate, &trial)) return trial;
  const absl::Time begin = absl::Now();
  OC_ASSIGN_OR_RETURN(Compared compared, CompareModels(reference_, ModelOf(candidate)));
  trial.seconds += absl::ToDoubleSeconds(absl::Now() - begin);
  if (!compared.left.ok()) {
    return absl::Status(compared.left.code(),
                        absl::StrCat("the reference ", reference_, ": ", compared.left.message()));
  }
  const SetSummary& worst = compared.step.worst;
  const bool cannot = !compared.both.ok() || worst.verdict == Verdict::kUntested ||
                      (!compared.right.ok() && IsOurLimit(compared.right));
  trial.judged = !cannot;
  trial.answer = cannot ? Answer::kSkip : worst.exit_status == 0 ? Answer::kGood : Answer::kBad;
  trial.text = absl::StrReplaceAll(
      absl::StrCat(VerdictName(worst.verdict), ", ", WithoutVerdict(worst.text)),
      {{kNoBreak, " "}});
  if (trial.answer == Answer::kBad) {
    table_of_ = candidate;
    table_ = std::move(compared.table);
    compared.step.right = candidate;
    bisection_.whole = std::move(compared.step);
  }
  return trial;
}

bool BisectRun::TakeAnswerOfSame(size_t candidate, BisectTrial* trial) {
  const std::string key = KeyOf(ModelOf(candidate));
  if (key.empty()) return false;
  const auto [known, is_new] = by_bytes_.try_emplace(key, candidate);
  if (is_new || known->second == candidate) return false;
  const Answer answer = search_.answer(known->second);
  if (answer == Answer::kNone) return false;
  trial->answer = answer;
  trial->text = absl::StrCat(kSameBytes, candidates_[known->second].name);
  return true;
}

absl::StatusOr<BisectTrial> BisectRun::Try(size_t candidate) {
  BisectTrial trial;
  trial.candidate = candidate;
  const absl::Time begin = absl::Now();
  OC_ASSIGN_OR_RETURN(const std::string missing, Make(candidate));
  trial.seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  if (candidates_[candidate].file.empty() && !arguments_.command.empty()) {
    trial.output = OutputOf(candidate);
  }
  if (!missing.empty()) {
    trial.answer = Answer::kSkip;
    trial.text = missing;
    return trial;
  }
  return arguments_.check.empty() ? CompareWithReference(candidate, std::move(trial))
                                  : Check(candidate, std::move(trial));
}

// Prints the answer and writes it to the log. False if standard output could not be written.
absl::StatusOr<bool> BisectRun::Add(BisectTrial trial) {
  search_.Put(trial.candidate, trial.answer);
  if (trial.judged) ++bisection_.judged;
  bisection_.trials.push_back(std::move(trial));
  const bool printed = Print(TrialLine(bisection_, bisection_.trials.back(), look_));
  if (folder_.empty()) return printed;
  OC_RETURN_IF_ERROR(WriteFile(LogFile(), BisectLogText(arguments_.task, bisection_)));
  return printed;
}

// Takes the answers of a run that was interrupted.
absl::Status BisectRun::GoOn() {
  if (folder_.empty() || !Exists(LogFile())) return absl::OkStatus();
  absl::StatusOr<std::vector<BisectTrial>> trials =
      ReadBisectLog(BytesOf(LogFile()), arguments_.task, bisection_.candidates);
  if (!trials.ok()) {
    return absl::Status(trials.status().code(),
                        absl::StrCat(LogFile(), ": ", trials.status().message(),
                                     "; remove it, or name another folder: --dir DIR"));
  }
  for (BisectTrial& trial : *trials) {
    trial.judged = trial.answer != Answer::kSkip && !absl::StartsWith(trial.text, kSameBytes);
    if (Exists(OutputOf(trial.candidate))) trial.output = OutputOf(trial.candidate);
    OC_ASSIGN_OR_RETURN(const bool printed, Add(std::move(trial)));
    if (!printed) return absl::CancelledError("standard output is closed");
  }
  return absl::OkStatus();
}

// The folder, the reference, the answers that are known.
absl::Status BisectRun::Prepare() {
  if (!folder_.empty()) OC_RETURN_IF_ERROR(MakeFolder(folder_));
  if (arguments_.check.empty()) {
    reference_ = arguments_.reference.empty() ? ModelOf(0) : arguments_.reference;
    bisection_.reference = arguments_.reference.empty() ? candidates_[0].name : reference_;
  }
  if (!Print(BisectionHead(bisection_, look_))) return absl::CancelledError("no output");
  const bool is_first = arguments_.check.empty() && arguments_.reference.empty();
  if (is_first) search_.Put(0, Answer::kGood);
  bisection_.most_judged =
      arguments_.every ? search_.count() - (is_first ? 1 : 0) : search_.MostJudged();
  const bool goes_on = !folder_.empty() && Exists(LogFile());
  OC_RETURN_IF_ERROR(GoOn());
  if (!is_first) return absl::OkStatus();
  search_.Put(0, Answer::kGood);
  // Without a log, a model that a command has made is unfinished or of another bisection.
  if (!goes_on || !Exists(reference_)) {
    OC_ASSIGN_OR_RETURN(const std::string missing, Make(0));
    if (!missing.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the first candidate, ", candidates_[0].name, ", is the reference, and ",
                       missing, " (", OutputOf(0), ")"));
    }
  }
  if (const std::string key = KeyOf(reference_); !key.empty()) by_bytes_.try_emplace(key, 0);
  return absl::OkStatus();
}

absl::Status BisectRun::Judge(size_t candidate) {
  OC_ASSIGN_OR_RETURN(BisectTrial trial, Try(candidate));
  OC_ASSIGN_OR_RETURN(const bool printed, Add(std::move(trial)));
  return printed ? absl::OkStatus() : absl::CancelledError("standard output is closed");
}

absl::Status BisectRun::JudgeAsNeeded() {
  while (const std::optional<size_t> next = search_.Next()) OC_RETURN_IF_ERROR(Judge(*next));
  return absl::OkStatus();
}

absl::StatusOr<int> BisectRun::Search() {
  OC_RETURN_IF_ERROR(Prepare());
  if (arguments_.every) {
    for (size_t i = 0; i < search_.count(); ++i) {
      if (search_.answer(i) == Answer::kNone) OC_RETURN_IF_ERROR(Judge(i));
    }
  }
  OC_RETURN_IF_ERROR(JudgeAsNeeded());
  // A bad one that is found now is before the last good one: there is more to be halved.
  OC_RETURN_IF_ERROR(LookForContradictions());
  OC_RETURN_IF_ERROR(JudgeAsNeeded());
  OC_RETURN_IF_ERROR(Finish());
  return ExitStatusOf(bisection_);
}

// The last good one beside the first bad one, to show what the step did and why it is wrong.
absl::Status BisectRun::CompareStep() {
  if (!bisection_.bad.has_value()) return absl::OkStatus();
  const size_t bad = *bisection_.bad;
  if (bisection_.good.has_value() && !ModelOf(bad).empty()) {
    const size_t good = *bisection_.good;
    for (const size_t candidate : {good, bad}) {
      if (Exists(ModelOf(candidate))) continue;
      OC_ASSIGN_OR_RETURN(const std::string missing, Make(candidate));
      if (!missing.empty()) return absl::OkStatus();
    }
    const bool known = table_of_ == bad && ModelOf(good) == reference_ && bisection_.whole;
    if (known) {
      bisection_.step = bisection_.whole;
    } else {
      OC_ASSIGN_OR_RETURN(Compared compared, CompareModels(ModelOf(good), ModelOf(bad)));
      bisection_.step = std::move(compared.step);
      if (!compared.table.empty() || !arguments_.check.empty()) {
        table_of_ = bad;
        table_ = std::move(compared.table);
      }
    }
    bisection_.step->left = good;
    bisection_.step->right = bad;
  }
  const bool shown = table_of_ == bad;
  if (bisection_.whole.has_value() && bisection_.whole->right != bad) bisection_.whole.reset();
  if (arguments_.check.empty() && !bisection_.whole.has_value() && Exists(ModelOf(bad))) {
    // It was judged by an earlier run, or as the same file as another.
    OC_ASSIGN_OR_RETURN(Compared compared, CompareModels(reference_, ModelOf(bad)));
    bisection_.whole = std::move(compared.step);
    bisection_.whole->right = bad;
    if (!shown) {
      table_of_ = bad;
      table_ = std::move(compared.table);
    }
  }
  if (table_of_ != bad) table_.clear();
  return absl::OkStatus();
}

// Files with the same bytes have the same answer, for nothing. Those that contradict the others are
// worth a line.
absl::Status BisectRun::LookForContradictions() {
  const std::optional<size_t> bad = search_.bad();
  const std::optional<size_t> good = search_.good();
  if (!bad.has_value() || !good.has_value() || !arguments_.check.empty()) return absl::OkStatus();
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (search_.answer(i) != Answer::kNone || candidates_[i].file.empty()) continue;
    BisectTrial trial;
    trial.candidate = i;
    const std::string key = KeyOf(candidates_[i].file);
    if (key.empty() || !by_bytes_.contains(key) || !TakeAnswerOfSame(i, &trial)) continue;
    const bool contradicts = trial.answer == Answer::kGood ? i > *bad : i < *good;
    if (contradicts) OC_RETURN_IF_ERROR(Add(std::move(trial)).status());
  }
  return absl::OkStatus();
}

// Mends what the step broke; the first bad one beside the reference if the step agrees.
void BisectRun::Mend() {
  const auto fails = [](const std::optional<ChainStep>& step) {
    return step.has_value() && step->worst.exit_status != 0;
  };
  const bool by_itself = fails(bisection_.step);
  if (!by_itself && !fails(bisection_.whole)) {
    fix_.emplace().nothing_to_mend = true;
    return;
  }
  CompareArguments arguments = arguments_.compare;
  arguments.left = by_itself ? ModelOf(bisection_.step->left) : reference_;
  arguments.right = ModelOf(*bisection_.bad);
  fix_ = MendStep(arguments, tools_);
}

absl::Status BisectRun::Finish() {
  TakeAnswers(search_, &bisection_);
  OC_RETURN_IF_ERROR(CompareStep());
  if (!arguments_.compare.fix.empty()) Mend();
  const FixReport* const fix = fix_.has_value() ? &*fix_ : nullptr;
  if (fix != nullptr) table_ += RenderFix(*fix, look_);
  const std::string json = RenderBisectionJson(bisection_, arguments_.compare.command, fix);
  for (const auto& [format, path] : arguments_.compare.reports) {
    OC_RETURN_IF_ERROR(WriteFile(path, json));
  }
  const std::string text =
      arguments_.compare.format == "json" ? json : RenderBisection(bisection_, table_, look_);
  if (!PrintOutput(text)) return absl::CancelledError("standard output is closed");
  if (arguments_.compare.timings) PrintTimings(tools_.timings);
  return absl::OkStatus();
}

absl::StatusOr<int> BisectRun::JudgeOne() {
  if (!folder_.empty()) OC_RETURN_IF_ERROR(MakeFolder(folder_));
  if (runs_commands()) {
    std::error_code ignored;
    std::filesystem::remove_all(FolderOf(0), ignored);
  }
  reference_ = arguments_.reference;
  bisection_.reference = reference_;
  OC_ASSIGN_OR_RETURN(const BisectTrial trial, Try(0));
  Print(TrialLine(bisection_, trial, look_));
  if (trial.answer == Answer::kSkip && !trial.output.empty()) {
    PrintNote(absl::StrCat("the output of the commands is in ", trial.output));
  }
  if (trial.answer == Answer::kSkip) return kGitSkips;
  if (trial.answer == Answer::kBad) Print(table_);
  return trial.answer == Answer::kGood ? kAgree : kDiffer;
}

}  // namespace onnxcmp::cli
