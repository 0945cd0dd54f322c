#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/generation_words.h"
#include "generate/render_generation.h"
#include "reports/junit_suite.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {

std::string RenderGenerationJunit(const Generation& generation) {
  JunitSuite suite;
  const std::vector<std::string> lines = OutcomeLines(generation);
  const std::string text = absl::StrJoin(lines, "\n");
  for (size_t i = 0; i < generation.steps.size(); ++i) {
    const GeneratedStep& step = generation.steps[i];
    std::string kind, message;
    if (!step.relation.has_value()) {
      kind = "skipped";
      message = "the sides have read other tokens";
    } else if (generation.failing == i) {
      kind = "failure";
      message = lines.front();
      if (generation.comparison != nullptr && !generation.comparison->causes.empty()) {
        message = absl::StrCat(
            "cause: ", CauseSentence(*generation.comparison, generation.comparison->causes.front()),
            "; ", message);
      }
    } else if (step.relation == Relation::kDifferent || !step.state.empty()) {
      kind = "failure";
      message = absl::StrCat("after step ", generation.failing.value_or(i), ", which fails");
    }
    suite.Add("step", absl::StrCat("step ", i), kind, message,
              kind == "failure" && generation.failing == i ? text : "");
  }
  if (!generation.status.ok()) {
    suite.Add("run", "steps", "error", generation.status.message(), text);
  }
  for (const Invariant& one : generation.alone) {
    const bool broken = one.outcome == Invariant::Outcome::kBroken;
    suite.Add("alone", one.name, broken ? "failure" : "", InvariantText(one), "");
  }
  return suite.Take(absl::StrCat(generation.sources.left, " | ", generation.sources.right), text);
}

std::string RenderInvariantsJunit(const Invariants& invariants) {
  JunitSuite suite;
  for (const Invariant& one : invariants.tried) {
    const std::string text = InvariantText(one);
    const bool held = one.outcome == Invariant::Outcome::kToTheBit ||
                      one.outcome == Invariant::Outcome::kWithinRounding;
    const char* const kind = held                                           ? ""
                             : one.outcome == Invariant::Outcome::kBroken   ? "failure"
                             : one.outcome == Invariant::Outcome::kNotTried ? "skipped"
                                                                            : "error";
    suite.Add("property", one.name, kind, text, "");
  }
  std::vector<std::string> out = invariants.roles;
  if (!invariants.taken_for.empty())
    out.push_back(absl::StrCat("taken for ", invariants.taken_for));
  return suite.Take("invariants", absl::StrJoin(out, "\n"));
}

}  // namespace onnxcmp
