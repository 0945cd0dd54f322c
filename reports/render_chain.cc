#include "reports/render_chain.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "compare/outcome/exit_status.h"
#include "compare/outcome/fused_rows.h"
#include "compare/outcome/model_changes.h"
#include "compare/outcome/proof_report.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/fix_json.h"
#include "reports/json_values.h"
#include "reports/junit_suite.h"
#include "reports/render_table.h"
#include "reports/step_json.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"
#include "reports/words/change_words.h"
#include "reports/words/proof_text.h"
#include "reports/words/proof_words.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp {
namespace {

using ChainJson = ReportJson;

// The file names, if they distinguish the models.
std::vector<std::string> ShortNames(const std::vector<std::string>& models) {
  std::vector<std::string> names;
  absl::flat_hash_map<std::string, std::string> seen;  // paths by name
  for (const std::string& model : models) {
    names.push_back(model.substr(model.rfind('/') + 1));
    if (names.back().empty()) return models;
    if (seen.try_emplace(names.back(), model).first->second != model) return models;
  }
  return names;
}

// A cause in one line: its kind and the two results.
std::string CauseLine(const Comparison& comparison, const Cause& cause) {
  const auto name = [](const ResultStream& stream, int r) {
    return r == kNone ? std::string() : stream.results[Index(r)].name;
  };
  const std::string left = name(comparison.left, cause.left);
  const std::string right = name(comparison.right, cause.right);
  return absl::StrCat(CauseKindName(cause.kind), " ", left,
                      left.empty() || right.empty() || left == right ? "" : " | ",
                      left == right ? "" : right, ": ", cause.text);
}

void AddProof(const Comparison& comparison, ChainStep* step) {
  if (comparison.proof == nullptr) return;
  const bool proved = comparison.proof->proved;
  if (step->proof.has_value() && (proved || !step->proof->proved)) return;
  step->proof = {proved, ProofText(*comparison.proof, false), RewritesText(comparison, false)};
}

// "proved", "not proved", or "" if not requested.
std::string ProofWord(const ChainStep& step) {
  if (!step.proof.has_value()) return "";
  return step.proof->proved ? "proved" : "not proved";
}

// Why a step is not proved, or on what the proof rests, and its rewrites: a line each. The first
// line of the text has a word already, the next ones say why the rest is not.
std::vector<std::string> ToldOfProof(const StepProof& proof) {
  std::vector<std::string> lines;
  if (!proof.proved) {
    lines.push_back(proof.text[std::min<size_t>(1, proof.text.size() - 1)]);
  } else {
    lines.assign(proof.text.begin() + 1, proof.text.end());
  }
  if (!proof.rewrites.empty()) lines.push_back(absl::StrCat("rewrites: ", proof.rewrites));
  return lines;
}

// "; 3 of 4 steps are proved the same for all inputs"; "" if not requested.
std::string ProvedSteps(const Chain& chain) {
  int64_t proved = 0, asked = 0;
  for (const ChainStep& step : chain.steps) {
    if (!step.proof.has_value()) continue;
    ++asked;
    if (step.proof->proved) ++proved;
  }
  if (asked == 0) return "";
  return absl::StrCat("; ", proved, " of ", asked, proved == 1 ? " is" : " are",
                      " proved for all inputs of these shapes");
}

// The outcome of all steps, in words.
std::string Outcome(const Chain& chain) {
  std::vector<SetSummary> summaries;
  for (const ChainStep& step : chain.steps) summaries.push_back(step.worst);
  const auto count = static_cast<int64_t>(chain.steps.size());
  if (const std::optional<size_t> first = BrokenBy(chain)) {
    const ChainStep& step = chain.steps[*first];
    return absl::StrCat("the first of ", Count(count, "step"), " that fails is ",
                        StepName(chain, step),
                        step.causes.empty() ? "" : absl::StrCat("; ", step.causes.front()));
  }
  if (const std::optional<size_t> at = AddsUpAt(chain)) {
    return absl::StrCat("each of ", Count(count, "step"),
                        " passes, but not all of them together: the changes add up, and from step ",
                        *at + 1, " on the model differs from the first");
  }
  if (chain.ends() != nullptr && chain.ends()->worst.exit_status != 0) {
    return absl::StrCat("each of ", Count(count, "step"), " passes, but not all of them together");
  }
  return absl::StrCat(Count(count, "step"), ": ", VerdictCounts(summaries), ProvedSteps(chain));
}

// The greatest difference that the sentence on the outputs has; "" if it has none.
std::string GreatestOf(const std::string& text) {
  const std::string found = WithoutVerdict(text);
  if (!absl::StartsWith(found, "at most ")) return "";
  return absl::StrCat(", ", found.substr(0, found.find_first_of(" ;", 8)));
}

// The sentence on a step, without what is proved, for which there is a word.
std::string OutputsOf(const ChainStep& step) {
  std::string text = WithoutVerdict(step.worst.text);
  const size_t end = text.find("; ");
  if (absl::StartsWith(text, "same for ") && end != std::string::npos) text.erase(0, end + 2);
  return text;
}

std::string AfterProof(const ChainStep& step, const std::string& text) {
  const std::string word = ProofWord(step);
  return absl::StrCat(word, word.empty() ? "" : "; ", text);
}

// The sentence on step i, after its proof and how far its model is from the first. The last model
// has a line of its own for that, and the same bits need no word.
std::string StepText(const Chain& chain, size_t i) {
  const ChainStep& step = chain.steps[i];
  const std::string text = OutputsOf(step);
  const ChainStep* first = chain.BesideFirst(i);
  if (i + 1 == chain.steps.size() || first == nullptr) return AfterProof(step, text);
  const SetSummary& beside = first->worst;
  const std::string greatest = GreatestOf(beside.text);
  const bool is_equal = beside.verdict == step.worst.verdict && greatest == GreatestOf(text);
  if (beside.verdict == Verdict::kSame || is_equal) return AfterProof(step, text);
  return AfterProof(step, absl::StrCat("beside the first ", VerdictName(beside.verdict), greatest,
                                       "; by itself ", text));
}

ChainJson OfStep(const Chain& chain, const ChainStep& step) {
  return StepJson(chain.models[step.left], chain.models[step.right], step);
}

ChainJson BesideFirstJson(const Chain& chain, size_t i) {
  const ChainStep* beside = chain.BesideFirst(i);
  const SetSummary& worst = beside != nullptr ? beside->worst : chain.steps[i].worst;
  return {{"verdict", std::string(VerdictName(worst.verdict))},
          {"exit_status", worst.exit_status},
          {"text", worst.text}};
}

ChainJson NumberOrNull(const std::optional<size_t>& number) {
  return number.has_value() ? ChainJson(*number) : ChainJson();
}

// A cell of a table in Markdown.
std::string MarkdownCell(const std::string& text) {
  return absl::StrReplaceAll(
      PrintableText(absl::StrReplaceAll(text, {{kNoBreak, " "}})),
      {{"|", "\\|"}, {"<", "&lt;"}, {"`", "\\`"}, {"*", "\\*"}, {"_", "\\_"}});
}

}  // namespace

std::string WithoutVerdict(const std::string& text) {
  const size_t at = text.find("at most ");
  return at == std::string::npos ? text : text.substr(at);
}

std::vector<std::string> CauseLines(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const Cause& cause : comparison.causes) lines.push_back(CauseLine(comparison, cause));
  return lines;
}

bool AddSet(const std::string& set, const Comparison& comparison, ChainStep* step) {
  SetSummary summary = SummaryOf(set, comparison);
  const auto badness = [](const SetSummary& of) { return std::tuple(of.exit_status, of.verdict); };
  step->sets += std::max(1, comparison.made_up_sets);
  AddProof(comparison, step);
  const bool is_first = step->worst.text.empty();
  if (!is_first && badness(summary) <= badness(step->worst)) return false;
  step->worst = std::move(summary);
  step->counts = CountChanges(comparison);
  step->changes = CountsText(step->counts);
  // Most results of a run that ended early would seem to be missing.
  const std::string rest = comparison.verdict() == Verdict::kFailed
                               ? ""
                               : ChangesText(comparison, FindFusedRows(comparison));
  absl::StrAppend(&step->changes, step->changes.empty() || rest.empty() ? "" : "; ", rest);
  step->causes = CauseLines(comparison);
  return true;
}

std::string StepName(const Chain& chain, const ChainStep& step) {
  const std::vector<std::string> names = ShortNames(chain.models);
  const std::string number = step.right == step.left + 1             ? absl::StrCat(step.right)
                             : step.right + 1 == chain.models.size() ? "all"
                                                                     : "beside the first";
  return absl::StrCat(number, ": ", names[step.left], " → ", names[step.right]);
}

std::string RenderChain(const Chain& chain, const std::string& detail,
                        const TableOptions& options) {
  const TableStyle style(options);
  std::vector<SetSummary> lines;
  const auto add = [&](const ChainStep& step, const std::string& text) {
    lines.push_back(step.worst);
    lines.back().name = StepName(chain, step);
    lines.back().text = text;
  };
  for (size_t i = 0; i < chain.steps.size(); ++i) add(chain.steps[i], StepText(chain, i));
  if (chain.ends() != nullptr)
    add(*chain.ends(), AfterProof(*chain.ends(), OutputsOf(*chain.ends())));
  const Verdict judged = VerdictOf(chain);
  std::string changes;
  for (const ChainStep& step : chain.steps) {
    std::string label = absl::StrCat("step ", step.right);
    if (!step.changes.empty()) {
      changes +=
          LabelledLines(std::exchange(label, ""), Color::kPlain, step.changes, options, style);
    }
    if (step.proof.has_value()) {
      for (const std::string& line : ToldOfProof(*step.proof)) {
        changes += LabelledLines(std::exchange(label, ""), Color::kPlain, line, options, style);
      }
    }
    if (step.causes.empty()) continue;
    const std::string more =
        step.causes.size() > 1
            ? absl::StrCat("; ", Count(static_cast<int64_t>(step.causes.size()) - 1, "more cause"))
            : "";
    changes += LabelledLines(label, Color::kBad,
                             absl::StrCat("cause: ", PrintableText(step.causes.front()), more),
                             options, style);
  }
  return absl::StrCat(
      RenderSummaries(lines, options), "\n", changes, changes.empty() ? "" : "\n", detail,
      detail.empty() ? "" : "\n",
      LabelledLines(VerdictName(judged), TableStyle::ColorOf(judged), Outcome(chain), options,
                    style),
      chain.optimizers.empty()
          ? ""
          : LabelledLines("optimizer", Color::kPlain,
                          absl::StrCat("without ", absl::StrJoin(chain.optimizers, " and "),
                                       " the step passes"),
                          options, style),
      "exit ", ExitStatusOf(chain), "\n");
}

std::string RenderChainJson(const Chain& chain, const std::string& command, const FixReport* fix) {
  ChainJson json;
  json["models"] = chain.models;
  json["steps"] = ChainJson::array();
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    ChainJson step = OfStep(chain, chain.steps[i]);
    step["against_first"] = BesideFirstJson(chain, i);
    json["steps"].push_back(std::move(step));
  }
  json["ends"] = chain.ends() != nullptr ? OfStep(chain, *chain.ends()) : ChainJson();
  json["broken_by"] = NumberOrNull(BrokenBy(chain));
  json["adds_up_at"] = NumberOrNull(AddsUpAt(chain));
  json["optimizers"] = chain.optimizers;
  json["verdict"] = std::string(VerdictName(VerdictOf(chain)));
  json["exit_status"] = ExitStatusOf(chain);
  if (fix != nullptr) json["fix"] = FixJson(*fix);
  if (!command.empty()) json["command"] = command;
  return absl::StrCat(json.dump(1, ' ', false, ChainJson::error_handler_t::replace), "\n");
}

std::string RenderChainJunit(const Chain& chain) {
  JunitSuite suite;
  const auto add = [&](const ChainStep& step, const char* group) {
    constexpr std::array<const char*, 3> kKinds = {"", "failure", "error"};
    const std::string cause =
        step.causes.empty() ? "" : absl::StrCat("cause: ", step.causes.front(), "; ");
    suite.Add(group, StepName(chain, step), kKinds[static_cast<size_t>(step.worst.exit_status)],
              absl::StrCat(cause, step.worst.text), absl::StrJoin(step.causes, "\n"));
  };
  std::string out = Outcome(chain);
  const auto add_proof = [&](const ChainStep& step) {
    if (!step.proof.has_value()) return;
    const std::string name = StepName(chain, step);
    const std::vector<std::string>& lines = step.proof->text;
    suite.Add("proof", name, step.proof->proved ? "" : "skipped", lines.front(),
              absl::StrJoin(lines, "\n"));
    absl::StrAppend(&out, "\n", name, ": ", ProofWord(step));
    for (const std::string& line : ToldOfProof(*step.proof)) absl::StrAppend(&out, "; ", line);
  };
  for (const ChainStep& step : chain.steps) add(step, "step");
  if (chain.ends() != nullptr) add(*chain.ends(), "ends");
  for (const ChainStep& step : chain.steps) add_proof(step);
  if (chain.ends() != nullptr) add_proof(*chain.ends());
  return suite.Take(absl::StrJoin(chain.models, " | "), out);
}

std::string RenderChainMarkdown(const Chain& chain, const FixReport* fix) {
  std::string text =
      absl::StrCat("**", VerdictName(VerdictOf(chain)), "**: ", MarkdownCell(Outcome(chain)),
                   "\n\n", "| step | verdict | outputs | changes |\n|---|---|---|---|\n");
  const auto add = [&](const ChainStep& step, const std::string& outputs) {
    absl::StrAppend(&text, "| ", MarkdownCell(StepName(chain, step)), " | ",
                    VerdictName(step.worst.verdict), " | ", MarkdownCell(outputs), " | ",
                    MarkdownCell(step.changes), " |\n");
  };
  for (size_t i = 0; i < chain.steps.size(); ++i) add(chain.steps[i], StepText(chain, i));
  if (chain.ends() != nullptr)
    add(*chain.ends(), AfterProof(*chain.ends(), OutputsOf(*chain.ends())));
  std::string proofs;
  for (const ChainStep& step : chain.steps) {
    if (!step.proof.has_value()) continue;
    const std::vector<std::string> told = ToldOfProof(*step.proof);
    if (!told.empty()) {
      absl::StrAppend(&proofs, "- step ", step.right, ": ", MarkdownCell(absl::StrJoin(told, "; ")),
                      "\n");
    }
  }
  absl::StrAppend(&text, proofs.empty() ? "" : "\n", proofs);
  const std::optional<size_t> broken = BrokenBy(chain);
  const ChainStep* failing = broken.has_value() ? &chain.steps[*broken] : chain.ends();
  if (failing != nullptr && failing->worst.exit_status != 0) {
    for (const std::string& cause : failing->causes) {
      absl::StrAppend(&text, "\n- ", MarkdownCell(cause));
    }
    if (!failing->causes.empty()) text += "\n";
  }
  if (fix == nullptr) return text;
  text += "\n### Fix\n\n";
  for (const std::string& line : FixLines(*fix)) {
    absl::StrAppend(&text, line.starts_with(" ") ? "  - " : "- ",
                    MarkdownCell(std::string(absl::StripLeadingAsciiWhitespace(line))), "\n");
  }
  return text;
}

}  // namespace onnxcmp
