#include "tools/bisect/bisect_log.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "record/streams/hash128.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kTask = "# of ";

std::string TaskLine(const std::string& task) {
  const Hash128 hash = HashOfText(task);
  return absl::StrFormat("%s%016x%016x", kTask, hash.high, hash.low);
}

std::string InOneLine(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\n", "; "}, {"\r", ""}, {"\t", " "}});
}

// The answer in a line "good 3 NAME<TAB>TEXT".
absl::StatusOr<BisectTrial> ReadTrial(absl::string_view line,
                                      const std::vector<std::string>& candidates) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits('\t', 1));
  const std::vector<absl::string_view> words =
      absl::StrSplit(parts.first, absl::MaxSplits(' ', 2), absl::SkipEmpty());
  BisectTrial trial;
  trial.earlier = true;
  trial.judged = true;
  trial.text = std::string(absl::StripAsciiWhitespace(parts.second));
  for (const Answer answer : {Answer::kGood, Answer::kBad, Answer::kSkip}) {
    if (!words.empty() && words[0] == AnswerName(answer)) trial.answer = answer;
  }
  if (trial.answer == Answer::kNone || words.size() < 2 ||
      !absl::SimpleAtoi(words[1], &trial.candidate) || trial.candidate >= candidates.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", line, "' is no answer: good, bad or skip, and the number of one of ",
                     candidates.size(), " candidates, from 0"));
  }
  return trial;
}

}  // namespace

std::string BisectLogText(const std::string& task, const Bisection& bisection) {
  std::string text = absl::StrCat(
      "# onnxcmp bisect: good, bad or skip, the candidate's number from 0, its name, why.\n",
      "# The command goes on from here; a line that is changed or added counts.\n", TaskLine(task),
      "\n");
  for (const BisectTrial& trial : bisection.trials) {
    absl::StrAppend(&text, AnswerName(trial.answer), " ", trial.candidate, " ",
                    InOneLine(bisection.candidates[trial.candidate]), "\t", InOneLine(trial.text),
                    "\n");
  }
  return text;
}

absl::StatusOr<std::vector<BisectTrial>> ReadBisectLog(absl::string_view text,
                                                       const std::string& task,
                                                       const std::vector<std::string>& candidates) {
  std::vector<BisectTrial> trials;
  bool is_of_task = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripSuffix(line, "\r");
    if (absl::StartsWith(line, kTask)) is_of_task = line == TaskLine(task);
    if (absl::StripAsciiWhitespace(line).empty() || absl::StartsWith(line, "#")) continue;
    absl::StatusOr<BisectTrial> trial = ReadTrial(line, candidates);
    if (!trial.ok()) return trial.status();
    trials.push_back(*std::move(trial));
  }
  if (!is_of_task) {
    return absl::FailedPreconditionError(
        "is of another bisection: other candidates, commands or options");
  }
  return trials;
}

}  // namespace onnxcmp
