#include "compare/reports/render_junit.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/reports/junit_suite.h"
#include "compare/reports/result_words.h"

namespace onnxcmp {

std::string RenderJunit(const Comparison& comparison) {
  JunitSuite suite;
  const auto add_run = [&](const char* name, const SideSummary& summary) {
    const absl::string_view message = summary.status.message();
    suite.Add("run", name, summary.status.ok() ? "" : "error", message, message);
  };
  add_run("left", comparison.left_summary);
  add_run("right", comparison.right_summary);
  for (const OutputPair& pair : comparison.outputs.pairs) {
    const std::vector<std::string> lines = DescribeOutput(pair);
    const std::string name =
        pair.left == pair.right ? pair.left : absl::StrCat(pair.left, " | ", pair.right);
    suite.Add("output", name, pair.difference.agree ? "" : "failure", lines[0],
              absl::StrJoin(lines, "\n"));
  }
  for (const std::string& name : comparison.outputs.only_left) {
    suite.Add("output", name, "failure", "only the left model has this output", "");
  }
  for (const std::string& name : comparison.outputs.only_right) {
    suite.Add("output", name, "failure", "only the right model has this output", "");
  }
  std::vector<std::string> out = {absl::StrCat("verdict: ", VerdictName(comparison.verdict))};
  for (const Cause& cause : comparison.causes) {
    const std::string left = CauseName(cause, true, comparison.left);
    const std::string right = CauseName(cause, false, comparison.right);
    out.push_back(absl::StrCat("cause: ", CauseKindName(cause.kind), ": ", left,
                               left == right ? "" : absl::StrCat(" | ", right), ": ", cause.text));
  }
  return suite.Take(
      absl::StrCat(comparison.left_summary.source, " | ", comparison.right_summary.source),
      absl::StrJoin(out, "\n"));
}

}  // namespace onnxcmp
