#include "compare/reports/render_chain.h"

#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/comparison/exit_status.h"
#include "compare/reports/table/table_style.h"
#include "compare/reports/table/table_summary.h"
#include "compare/reports/words/fused_rows.h"
#include "compare/text/short_text.h"

namespace onnxcmp {
namespace {

using ChainJson = nlohmann::ordered_json;

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

// The text about outputs, without the verdict before it.
std::string WithoutVerdict(const std::string& text) {
  const size_t at = text.find("at most ");
  return at == std::string::npos ? text : text.substr(at);
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

// The outcome of all steps, in words.
std::string Outcome(const Chain& chain) {
  std::vector<SetSummary> summaries;
  for (const ChainStep& step : chain.steps) summaries.push_back(step.worst);
  const auto count = static_cast<int64_t>(chain.steps.size());
  if (const std::optional<size_t> first = FirstFailing(chain)) {
    const ChainStep& step = chain.steps[*first];
    return absl::StrCat("the first of ", Count(count, "step"), " that fails is ",
                        StepName(chain, step),
                        step.causes.empty() ? "" : absl::StrCat("; ", step.causes.front()));
  }
  if (chain.ends.has_value() && chain.ends->worst.exit_status != 0) {
    return absl::StrCat("each of ", Count(count, "step"), " passes, but not all of them together");
  }
  return absl::StrCat(Count(count, "step"), ": ", VerdictCounts(summaries));
}

ChainJson ToJson(const Chain& chain, const ChainStep& step) {
  return {{"left", chain.models[step.left]},
          {"right", chain.models[step.right]},
          {"sets", step.sets},
          {"verdict", std::string(VerdictName(step.worst.verdict))},
          {"exit_status", step.worst.exit_status},
          {"set", step.worst.name},
          {"text", step.worst.text},
          {"causes", step.causes}};
}

}  // namespace

bool AddSet(const std::string& set, const Comparison& comparison, ChainStep* step) {
  SetSummary summary = SummaryOf(set, comparison);
  const auto badness = [](const SetSummary& of) { return std::tuple(of.exit_status, of.verdict); };
  step->sets += std::max(1, comparison.made_up_sets);
  const bool is_first = step->worst.text.empty();
  if (!is_first && badness(summary) <= badness(step->worst)) return false;
  step->worst = std::move(summary);
  step->changes = ChangesText(comparison, FindFusedRows(comparison));
  step->causes.clear();
  for (const Cause& cause : comparison.causes) {
    step->causes.push_back(CauseLine(comparison, cause));
  }
  return true;
}

std::optional<size_t> FirstFailing(const Chain& chain) {
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    if (chain.steps[i].worst.exit_status != 0) return i;
  }
  return std::nullopt;
}

int ExitStatusOf(const Chain& chain) {
  int worst = chain.ends.has_value() ? chain.ends->worst.exit_status : 0;
  for (const ChainStep& step : chain.steps) worst = std::max(worst, step.worst.exit_status);
  return worst;
}

Verdict VerdictOf(const Chain& chain) {
  Verdict worst = chain.ends.has_value() ? chain.ends->worst.verdict : Verdict::kSame;
  for (const ChainStep& step : chain.steps) worst = std::max(worst, step.worst.verdict);
  return worst;
}

std::string StepName(const Chain& chain, const ChainStep& step) {
  const std::vector<std::string> names = ShortNames(chain.models);
  const bool is_step = step.right == step.left + 1;
  return absl::StrCat(is_step ? absl::StrCat(step.right) : "all", ": ", names[step.left], " → ",
                      names[step.right]);
}

std::string RenderChain(const Chain& chain, const TableOptions& options) {
  const TableStyle style(options);
  std::vector<SetSummary> lines;
  const auto add = [&](const ChainStep& step) {
    lines.push_back(step.worst);
    lines.back().name = StepName(chain, step);
    lines.back().text = WithoutVerdict(step.worst.text);
  };
  for (const ChainStep& step : chain.steps) add(step);
  if (chain.ends.has_value()) add(*chain.ends);
  const Verdict verdict = VerdictOf(chain);
  std::string changes;
  for (const ChainStep& step : chain.steps) {
    if (step.changes.empty()) continue;
    changes += LabelledLines(absl::StrCat("step ", step.right), Color::kPlain, step.changes,
                             options, style);
  }
  return absl::StrCat(RenderSummaries(lines, options), "\n", changes, changes.empty() ? "" : "\n",
                      LabelledLines(VerdictName(verdict), TableStyle::ColorOf(verdict),
                                    Outcome(chain), options, style),
                      chain.optimizers.empty()
                          ? ""
                          : LabelledLines("optimizer", Color::kPlain,
                                          absl::StrCat("without ",
                                                       absl::StrJoin(chain.optimizers, " and "),
                                                       " the step passes"),
                                          options, style),
                      "exit ", ExitStatusOf(chain), "\n");
}

std::string RenderChainJson(const Chain& chain, const std::string& command) {
  ChainJson json;
  json["models"] = chain.models;
  json["steps"] = ChainJson::array();
  for (const ChainStep& step : chain.steps) json["steps"].push_back(ToJson(chain, step));
  json["ends"] = chain.ends.has_value() ? ToJson(chain, *chain.ends) : ChainJson();
  const std::optional<size_t> first = FirstFailing(chain);
  json["first_failing"] = first.has_value() ? ChainJson(*first) : ChainJson();
  json["optimizers"] = chain.optimizers;
  json["verdict"] = std::string(VerdictName(VerdictOf(chain)));
  json["exit_status"] = ExitStatusOf(chain);
  if (!command.empty()) json["command"] = command;
  return absl::StrCat(json.dump(1, ' ', false, ChainJson::error_handler_t::replace), "\n");
}

}  // namespace onnxcmp
