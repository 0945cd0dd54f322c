#include "tools/fix/fix_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/text/short_text.h"

namespace onnxcmp {

std::vector<std::string> FixLines(const FixReport& report) {
  std::vector<std::string> lines;
  if (report.nothing_to_mend) {
    lines.emplace_back("the outputs agree: there is nothing to mend");
    return lines;
  }
  const auto edits = static_cast<int64_t>(report.steps.size());
  if (edits == 0) {
    lines.push_back(
        absl::StrCat("no edit of the ", SideName(report.side), " model makes the outputs agree"));
  } else {
    lines.push_back(absl::StrCat(
        Count(edits, "edit"), " of the ", SideName(report.side), " model ",
        report.agrees ? (edits == 1 ? "makes the outputs agree" : "make the outputs agree")
                      : (edits == 1 ? "brings the outputs nearer" : "bring the outputs nearer"),
        report.file.empty() ? "" : absl::StrCat(": ", report.file)));
  }
  for (const FixStep& step : report.steps) {
    for (const std::string& line : step.edit.lines) lines.push_back(absl::StrCat("  ", line));
  }
  // The one edit of the one cause says it all.
  if (edits != 1 || report.certificates.size() != 1 || !report.agrees) {
    for (const std::string& certificate : report.certificates) {
      lines.push_back(certificate);
    }
  }
  if (!report.checks.empty()) {
    lines.push_back(absl::StrCat(report.verified ? "verified: " : "not verified: ",
                                 absl::StrJoin(report.checks, "; ")));
  }
  lines.insert(lines.end(), report.notes.begin(), report.notes.end());
  return lines;
}

}  // namespace onnxcmp
