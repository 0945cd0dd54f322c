#include "compare/render_junit.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/utf8.h"

namespace onnxcmp {
namespace {

// For attributes and text. What XML cannot hold becomes U+FFFD.
std::string Escaped(absl::string_view text) {
  std::string escaped;
  for (const uint32_t code : DecodeUtf8(text)) {
    if (code == '&') {
      escaped += "&amp;";
    } else if (code == '<') {
      escaped += "&lt;";
    } else if (code == '>') {
      escaped += "&gt;";
    } else if (code == '"') {
      escaped += "&quot;";
    } else if (code == '\n' || code == '\r' || code == '\t') {
      absl::StrAppend(&escaped, "&#", code, ";");
    } else {
      const bool none = code < 0x20 || code == 0xFFFE || code == 0xFFFF;
      AppendUtf8(none ? 0xFFFD : code, &escaped);
    }
  }
  return escaped;
}

class Suite {
 public:
  // `kind`: "failure", "error", or "" for a test that passes.
  void Add(const char* group, absl::string_view name, const char* kind, absl::string_view message,
           absl::string_view text) {
    ++tests_;
    absl::StrAppend(&cases_, "    <testcase classname=\"", group, "\" name=\"", Escaped(name),
                    "\"");
    const absl::string_view what = kind;
    if (what.empty()) {
      cases_ += "/>\n";
      return;
    }
    ++(what == "error" ? errors_ : failures_);
    absl::StrAppend(&cases_, ">\n      <", what, " message=\"", Escaped(message), "\">",
                    Escaped(text), "</", what, ">\n    </testcase>\n");
  }

  std::string Take(absl::string_view name, absl::string_view out) const {
    const std::string counts = absl::StrCat(" tests=\"", tests_, "\" failures=\"", failures_,
                                            "\" errors=\"", errors_, "\">\n");
    return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"onnxcmp\"",
                        counts, "  <testsuite name=\"", Escaped(name), "\"", counts, cases_,
                        "    <system-out>", Escaped(out),
                        "</system-out>\n  </testsuite>\n</testsuites>\n");
  }

 private:
  int tests_ = 0, failures_ = 0, errors_ = 0;
  std::string cases_;
};

}  // namespace

std::string RenderJunit(const Comparison& comparison) {
  Suite suite;
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
    out.push_back(absl::StrCat("cause: ", CauseKindName(cause.kind), ": ", cause.text));
  }
  return suite.Take(
      absl::StrCat(comparison.left_summary.source, " | ", comparison.right_summary.source),
      absl::StrJoin(out, "\n"));
}

}  // namespace onnxcmp
