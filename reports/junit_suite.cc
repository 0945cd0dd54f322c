#include "reports/junit_suite.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "record/text/utf8.h"

namespace onnxcmp {
namespace {

// For attributes and text. Characters that XML does not allow become U+FFFD.
std::string EscapedXml(absl::string_view text) {
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

}  // namespace

void JunitSuite::Add(absl::string_view group, absl::string_view name, absl::string_view kind,
                     absl::string_view message, absl::string_view text) {
  ++tests_;
  absl::StrAppend(&cases_, "    <testcase classname=\"", EscapedXml(group), "\" name=\"",
                  EscapedXml(name), "\"");
  if (kind.empty()) {
    cases_ += "/>\n";
    return;
  }
  ++(kind == "error" ? errors_ : kind == "skipped" ? skipped_ : failures_);
  absl::StrAppend(&cases_, ">\n      <", kind, " message=\"", EscapedXml(message), "\">",
                  EscapedXml(text), "</", kind, ">\n    </testcase>\n");
}

std::string JunitSuite::Take(absl::string_view name, absl::string_view out) const {
  const std::string counts =
      absl::StrCat(" tests=\"", tests_, "\" failures=\"", failures_, "\" errors=\"", errors_, "\"");
  const std::string skipped = skipped_ == 0 ? "" : absl::StrCat(" skipped=\"", skipped_, "\"");
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"onnxcmp\"",
                      counts, ">\n  <testsuite name=\"", EscapedXml(name), "\"", counts, skipped,
                      ">\n", cases_, "    <system-out>", EscapedXml(out),
                      "</system-out>\n  </testsuite>\n</testsuites>\n");
}

}  // namespace onnxcmp
