#include "cli/runtimes/second_look.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/runtimes/optimized_side.h"
#include "compare/input_sets/brief_options.h"
#include "compare/outcome/nearer_outputs.h"
#include "compare/sides/runtime_group.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp::cli {
namespace {

bool IsOpen(const Comparison& comparison) {
  return comparison.verdict() == Verdict::kDifferent && comparison.causes.empty();
}

absl::StatusOr<std::unique_ptr<RuntimeSide>> LookAsFused(const SecondLook& look, const Feeds& feeds,
                                                         Comparison* comparison) {
  absl::StatusOr<std::unique_ptr<RuntimeSide>> fused =
      OpenOptimized(look.right.evaluator()->model(), look.right.runtime(), look.open.registry,
                    look.open.load, look.open.running);
  if (!fused.ok()) return nullptr;  // most runtimes cannot write it
  (*fused)->SetFeeds(feeds);
  OC_ASSIGN_OR_RETURN(Comparison other, Compare(look.left, **fused, look.compare));
  // Outputs that agree have to be those that differed: their tolerance may be another one then, and
  // nothing else.
  const bool agrees = other.verdict() != Verdict::kDifferent;
  if (other.verdict() == Verdict::kFailed || !(*fused)->HasOutputsOf(look.right, agrees) ||
      IsOpen(other)) {
    comparison->notes.emplace_back(
        "the model as the runtime has optimized it does not tell more (--fused shows it)");
    return nullptr;
  }
  other.notes.insert(
      other.notes.begin(),
      absl::StrCat(look.right.name(),
                   " gives other outputs when it fuses, so the right is the model that it has "
                   "optimized"));
  *comparison = std::move(other);
  return fused;
}

absl::Status LookInDouble(const SecondLook& look, Comparison* comparison) {
  CompareOptions brief = BriefOptions(look.compare);
  brief.shadow = true;
  OC_ASSIGN_OR_RETURN(const Comparison in_double, Compare(look.left, look.right, brief));
  AcceptNearerOutputs(in_double, comparison);
  return absl::OkStatus();
}

// The pair of a right result by its name, or nothing.
const ComparedRow* RowOf(const Comparison& comparison, const std::string& name) {
  for (const ComparedRow& row : comparison.rows) {
    if (!row.aligned.paired()) continue;
    const int r = *row.aligned.right.begin();
    const StreamResult& result = comparison.right.results[static_cast<size_t>(r)];
    if (result.kind == ResultKind::kResult && result.name == name) return &row;
  }
  return nullptr;
}

absl::Status LookForGroup(const SecondLook& look, const Feeds& feeds, Comparison* comparison) {
  if (look.right.results() == nullptr || !look.right.runs_model()) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const std::optional<RuntimeGroup> group,
                      FindRuntimeGroup(*look.right.evaluator(), feeds, *look.right.results(),
                                       look.right.runtime().get()));
  if (!group.has_value()) {
    comparison->notes.push_back(absl::StrCat(
        "each node of ", look.right.name(),
        " gives what ours does on the same values: the difference is rounding that grows"));
    return absl::OkStatus();
  }
  const ComparedRow* const row = RowOf(*comparison, group->result);
  if (row == nullptr) {
    comparison->notes.push_back(absl::StrCat("`", group->result, "`: ", group->text));
    return absl::OkStatus();
  }
  Cause& cause = comparison->causes.emplace_back();
  cause.left = *row->aligned.left.begin();
  cause.right = cause.judged = *row->aligned.right.begin();
  cause.text = group->text;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<RuntimeSide>> LookAgainAtRuntime(const SecondLook& look,
                                                                const Feeds& feeds,
                                                                Comparison* comparison) {
  if (!IsOpen(*comparison)) return nullptr;
  std::unique_ptr<RuntimeSide> fused;
  if (!look.fused && look.right.DiffersWhenFused()) {
    OC_ASSIGN_OR_RETURN(fused, LookAsFused(look, feeds, comparison));
  }
  if (IsOpen(*comparison)) OC_RETURN_IF_ERROR(LookInDouble(look, comparison));
  if (IsOpen(*comparison) && fused == nullptr) {
    OC_RETURN_IF_ERROR(LookForGroup(look, feeds, comparison));
  }
  return fused;
}

}  // namespace onnxcmp::cli
