#include "compare/reports/render_html.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "compare/comparison/verdict.h"
#include "compare/pair/per_side.h"
#include "compare/reports/json_around.h"
#include "compare/reports/json_values.h"
#include "compare/reports/page_bundle.h"
#include "compare/reports/page_lines.h"
#include "compare/reports/table/table_summary.h"
#include "compare/reports/words/result_words.h"
#include "compare/text/display_text.h"

namespace onnxcmp {
namespace {

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      PrintableText(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

// 'sha256-...', by which a content security policy allows an inline script.
std::string Source(absl::string_view sha256) {
  return absl::StrCat("'sha256-", absl::Base64Escape(absl::HexStringToBytes(sha256)), "'");
}

std::string Policy(const PageBundle& bundle) {
  return absl::StrCat("default-src 'none'; script-src ", Source(bundle.script_sha256),
                      "; style-src ", Source(bundle.style_sha256),
                      "; base-uri 'none'; form-action 'none'");
}

std::string Title(const Comparison& comparison) {
  const auto file = [](const SideSummary& side, const ResultStream& stream) {
    const absl::string_view path = side.source.empty() ? stream.source : side.source;
    const size_t slash = path.rfind('/');
    return slash == absl::string_view::npos ? path : path.substr(slash + 1);
  };
  return absl::StrCat(VerdictName(comparison.verdict), ": ",
                      file(comparison.left_summary, comparison.left), " | ",
                      file(comparison.right_summary, comparison.right), " - onnxcmp");
}

std::string PageMember(const Comparison& comparison, const HtmlOptions& options,
                       const PageDetail& detail) {
  ReportJson json = {{"command", options.command}};
  if (options.sets.size() > 1) {
    json["set"] = options.set;
    json["set_name"] = options.set_name;
    json["sets"] = options.sets;
  }
  json["left_out"] = ReportJson::array();
  if (!ShowsAllElements(comparison, detail)) {
    json["left_out"].push_back(detail.rows_with_elements == 0 ? "the worst elements of rows"
                                                              : "the worst elements of some rows");
  }
  if (!detail.statistics) json["left_out"].push_back("statistics of results");
  return DumpJson(json);
}

// Nothing in it ends its element or begins a comment: '<' occurs in strings alone.
std::string Data(const Comparison& comparison, const HtmlOptions& options,
                 const PageDetail& detail) {
  std::string json = JsonAround(comparison, PageLines(comparison, detail));
  json.resize(json.rfind('}'));
  absl::StrAppend(&json, ",\n\"page\":", PageMember(comparison, options, detail), "}\n");
  absl::StrReplaceAll({{"<", "\\u003c"}}, &json);
  return json;
}

// For browsers without scripts, and for programs that read only the text.
std::string PlainText(const Comparison& comparison) {
  std::string text = absl::StrCat("<h1>", VerdictName(comparison.verdict), "</h1>\n");
  for (const std::string& line : VerdictText(comparison)) {
    absl::StrAppend(&text, "<p>", Escaped(line), "</p>\n");
  }
  for (const Cause& cause : comparison.causes) {
    absl::StrAppend(&text, "<p>cause: ", Escaped(CauseName(comparison, cause, SideId::kLeft)),
                    " | ", Escaped(CauseName(comparison, cause, SideId::kRight)), ": ",
                    Escaped(cause.text), "</p>\n");
  }
  return absl::StrCat(text, "<p>The rest of this page needs JavaScript.</p>\n");
}

}  // namespace

std::string RenderHtml(const Comparison& comparison, const HtmlOptions& options) {
  const PageBundle& bundle = GetPageBundle();
  const size_t room =
      options.most_bytes - std::min(options.most_bytes, bundle.script.size() + bundle.style.size());
  std::string data = Data(comparison, options, PageDetail());
  if (data.size() > room) {
    constexpr PageDetail kLeast = {.rows_with_elements = 0, .statistics = false};
    data = Data(comparison, options, kLeast);
  }
  return absl::StrCat("<!DOCTYPE html>\n<html lang=\"en\" data-verdict=\"",
                      VerdictName(comparison.verdict), "\">\n<head>\n<meta charset=\"utf-8\">\n",
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"", Policy(bundle),
                      "\">\n",
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                      "<meta name=\"color-scheme\" content=\"light dark\">\n", "<title>",
                      Escaped(Title(comparison)), "</title>\n<style>", bundle.style,
                      "</style>\n</head>\n<body>\n", "<noscript>\n", PlainText(comparison),
                      "</noscript>\n", "<script type=\"application/json\" id=\"onnxcmp\">\n", data,
                      "</script>\n<script>", bundle.script, "</script>\n</body>\n</html>\n");
}

}  // namespace onnxcmp
