#include "reports/step_json.h"

#include <utility>

#include "absl/strings/str_replace.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/model_changes.h"
#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

// Null beside a recording.
ReportJson CountsJson(const ModelChanges& counts) {
  if (!counts.models) return {};
  ReportJson operators = ReportJson::object();
  for (const auto& [name, count] : counts.operators) operators[name] = count;
  return {{"nodes_before", counts.left_nodes}, {"nodes_after", counts.right_nodes},
          {"operators", std::move(operators)}, {"renamed", counts.renamed},
          {"constants", counts.constants},     {"attributes", counts.attributes}};
}

}  // namespace

ReportJson StepJson(const std::string& from, const std::string& to, const ChainStep& step) {
  ReportJson json = {{"from", from},
                     {"to", to},
                     {"sets", step.sets},
                     {"verdict", std::string(VerdictName(step.worst.verdict))},
                     {"exit_status", step.worst.exit_status},
                     {"set", step.worst.name},
                     {"text", step.worst.text},
                     {"changes", absl::StrReplaceAll(step.changes, {{kNoBreak, " "}})},
                     {"counts", CountsJson(step.counts)},
                     {"causes", step.causes}};
  if (step.proof.has_value()) {
    json["proof"] = {{"proved", step.proof->proved},
                     {"text", step.proof->text},
                     {"rewrites", absl::StrReplaceAll(step.proof->rewrites, {{kNoBreak, " "}})}};
  }
  return json;
}

}  // namespace onnxcmp
