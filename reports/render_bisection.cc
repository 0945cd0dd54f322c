#include "reports/render_bisection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/outcome/comparison.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/fix_json.h"
#include "reports/json_values.h"
#include "reports/step_json.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"
#include "tools/bisect/first_bad.h"

namespace onnxcmp {
namespace {

constexpr double kNotableSeconds = 1;
constexpr int kWidestName = 40;  // columns

// The file's name.
std::string ShortName(const std::string& name) {
  const std::string file = name.substr(name.rfind('/') + 1);
  return file.empty() ? name : file;
}

// The candidate by its file's name, unless several have that.
std::string NameOf(const Bisection& bisection, size_t candidate) {
  const std::string& name = bisection.candidates[candidate];
  const std::string file = ShortName(name);
  const auto count =
      std::count_if(bisection.candidates.begin(), bisection.candidates.end(),
                    [&](const std::string& other) { return ShortName(other) == file; });
  return PrintableText(count == 1 ? file : name);
}

std::string Listed(const Bisection& bisection, const std::vector<size_t>& candidates) {
  std::vector<std::string> names;
  for (const size_t candidate : candidates) {
    names.push_back(NameOf(bisection, candidate));
  }
  CutList(&names, 8);
  return absl::StrJoin(names, ", ");
}

int64_t CountOf(const Bisection& bisection, Answer answer) {
  return std::count_if(bisection.trials.begin(), bisection.trials.end(),
                       [&](const BisectTrial& trial) { return trial.answer == answer; });
}

// The outcome in a sentence.
std::string OutcomeOf(const Bisection& bisection) {
  if (!bisection.bad.has_value()) {
    const int64_t good = CountOf(bisection, Answer::kGood);
    const int64_t skipped = CountOf(bisection, Answer::kSkip);
    std::string text =
        good > 0 ? absl::StrCat(good, " of ", bisection.candidates.size(),
                                " have an answer, all are good, ",
                                ExitStatusOf(bisection) == 0 ? "the last one among them"
                                                             : "but the last one could not be")
                 : "no candidate could be judged";
    if (skipped > 0) absl::StrAppend(&text, "; ", skipped, " were skipped");
    return text;
  }
  if (!bisection.skipped.empty()) {
    std::vector<size_t> suspects = bisection.skipped;
    suspects.push_back(*bisection.bad);
    return absl::StrCat("one of ", suspects.size(),
                        ", of which only the last could be judged: ", Listed(bisection, suspects));
  }
  std::string text = NameOf(bisection, *bisection.bad);
  absl::StrAppend(&text,
                  bisection.good.has_value()
                      ? absl::StrCat("; the last good one is ", NameOf(bisection, *bisection.good))
                      : std::string("; it is the first of all, so none is good"));
  if (bisection.step.has_value() && !bisection.step->causes.empty()) {
    absl::StrAppend(&text, "; ", PrintableText(bisection.step->causes.front()));
  }
  return text;
}

// Parts of the outcome that a reader must not overlook.
std::vector<std::string> Warnings(const Bisection& bisection) {
  std::vector<std::string> lines;
  if (!bisection.good_again.empty() && bisection.bad.has_value()) {
    lines.push_back(absl::StrCat(
        "the answers are not monotonic: after ", NameOf(bisection, *bisection.bad),
        ", which is bad, ",
        bisection.good_again.size() == 1 ? "this one is good again: " : "these are good again: ",
        Listed(bisection, bisection.good_again),
        "; there may be other places at which good ones turn bad (--every judges all)"));
  }
  if (bisection.step.has_value() && bisection.step->worst.exit_status == 0) {
    lines.push_back(
        bisection.check.empty()
            ? "the last good and the first bad one agree with each other: differences of several "
              "steps add up"
            : "the values of the last good and the first bad one agree: what fails the check is "
              "something else, or shows on other inputs");
  }
  return lines;
}

ReportJson NumbersJson(const std::vector<size_t>& numbers) {
  ReportJson json = ReportJson::array();
  for (const size_t number : numbers) json.push_back(number);
  return json;
}

ReportJson NumberJson(const std::optional<size_t>& number) {
  return number.has_value() ? ReportJson(*number) : ReportJson();
}

ReportJson TrialJson(const Bisection& bisection, const BisectTrial& trial) {
  return {{"candidate", trial.candidate},
          {"name", bisection.candidates[trial.candidate]},
          {"answer", std::string(AnswerName(trial.answer))},
          {"text", trial.text},
          {"judged", trial.judged},
          {"earlier", trial.earlier},
          {"seconds", trial.seconds},
          {"output", trial.output.empty() ? ReportJson() : ReportJson(trial.output)}};
}

}  // namespace

std::string BisectionHead(const Bisection& bisection, const TableOptions& options) {
  const TableStyle style(options);
  const size_t count = bisection.candidates.size();
  std::string text = Count(static_cast<int64_t>(count), "candidate");
  if (count > 1) {
    absl::StrAppend(&text, ", ", NameOf(bisection, 0), " to ", NameOf(bisection, count - 1));
  }
  std::string lines = LabelledLines("bisect", Color::kBold, text, options, style);
  lines += LabelledLines("good", Color::kPlain,
                         bisection.check.empty()
                             ? absl::StrCat("agrees with ", PrintableText(bisection.reference))
                             : absl::StrCat("exits with 0: ", PrintableText(bisection.check)),
                         options, style);
  return lines;
}

std::string TrialLine(const Bisection& bisection, const BisectTrial& trial,
                      const TableOptions& options) {
  const TableStyle style(options);
  int width = 0;
  for (size_t i = 0; i < bisection.candidates.size(); ++i) {
    width = std::max(width, DisplayWidth(style.Text(NameOf(bisection, i))));
  }
  width = std::min(width, kWidestName);
  const int digits = static_cast<int>(absl::StrCat(bisection.candidates.size() - 1).size());
  const Color color = trial.answer == Answer::kBad    ? Color::kBad
                      : trial.answer == Answer::kGood ? Color::kGood
                                                      : Color::kDim;
  const std::string name = style.Text(NameOf(bisection, trial.candidate));
  std::string text = PrintableText(trial.text);
  if (trial.seconds >= kNotableSeconds)
    absl::StrAppend(&text, absl::StrFormat("; %.1f s", trial.seconds));
  if (trial.earlier) text = absl::StrCat("earlier: ", text);
  const std::string before =
      absl::StrCat(PadLeft(absl::StrCat(trial.candidate), digits), " ",
                   PadRight(ShortenMiddle(name, width, style.Ellipsis()), width), "  ");
  const int room = options.width - 6 - DisplayWidth(before);
  const std::string what = style.Text(text);
  return absl::StrCat(style.Paint(PadRight(AnswerName(trial.answer), 6), color), before,
                      options.wide || room < 20 ? what : ShortenEnd(what, room, style.Ellipsis()),
                      "\n");
}

std::string RenderBisection(const Bisection& bisection, const std::string& detail,
                            const TableOptions& options) {
  const TableStyle style(options);
  std::string text = "\n";
  if (bisection.step.has_value()) {
    std::string label = "step";
    const std::string name =
        absl::StrCat(BisectedStepName(bisection, *bisection.step),
                     bisection.step->changes.empty() ? "" : ": ", bisection.step->changes);
    text += LabelledLines(label, Color::kBold, name, options, style);
    text += "\n";
  }
  if (!detail.empty()) absl::StrAppend(&text, detail, "\n");
  const bool found = bisection.bad.has_value();
  text += LabelledLines(found ? "first bad" : "none bad", found ? Color::kBad : Color::kGood,
                        OutcomeOf(bisection), options, style);
  for (const std::string& line : Warnings(bisection)) {
    text += LabelledLines("note", Color::kBold, line, options, style);
  }
  absl::StrAppend(
      &text, LabelledLines("judged", Color::kPlain,
                           absl::StrCat(bisection.judged, " of ",
                                        Count(static_cast<int64_t>(bisection.candidates.size()),
                                              "candidate")),
                           options, style));
  return absl::StrCat(text, "exit ", ExitStatusOf(bisection), "\n");
}

std::string RenderBisectionJson(const Bisection& bisection, const std::string& command,
                                const FixReport* fix) {
  ReportJson json;
  json["candidates"] = bisection.candidates;
  json["reference"] = bisection.reference.empty() ? ReportJson() : ReportJson(bisection.reference);
  json["check"] = bisection.check.empty() ? ReportJson() : ReportJson(bisection.check);
  json["log"] = ReportJson::array();
  for (const BisectTrial& trial : bisection.trials)
    json["log"].push_back(TrialJson(bisection, trial));
  json["first_bad"] = bisection.skipped.empty() ? NumberJson(bisection.bad) : ReportJson();
  json["last_good"] = NumberJson(bisection.good);
  std::vector<size_t> suspects = bisection.skipped;
  if (bisection.bad.has_value()) suspects.push_back(*bisection.bad);
  json["suspects"] = NumbersJson(suspects);
  json["monotonic"] = bisection.good_again.empty();
  json["good_again"] = NumbersJson(bisection.good_again);
  json["judged"] = bisection.judged;
  json["most_judged"] = bisection.most_judged;
  const auto step_of = [&](const std::optional<ChainStep>& step, const std::string& from) {
    if (!step.has_value()) return ReportJson();
    return StepJson(from, bisection.candidates[step->right], *step);
  };
  json["step"] = step_of(
      bisection.step, bisection.step.has_value() ? bisection.candidates[bisection.step->left] : "");
  json["against_reference"] = step_of(bisection.whole, bisection.reference);
  json["notes"] = Warnings(bisection);
  json["exit_status"] = ExitStatusOf(bisection);
  if (fix != nullptr) json["fix"] = FixJson(*fix);
  if (!command.empty()) json["command"] = command;
  return absl::StrCat(json.dump(1, ' ', false, ReportJson::error_handler_t::replace), "\n");
}

std::string BisectedStepName(const Bisection& bisection, const ChainStep& step) {
  return absl::StrCat(NameOf(bisection, step.left), " → ", NameOf(bisection, step.right));
}

}  // namespace onnxcmp
