#include "reports/render_html.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "compare/outcome/verdict.h"
#include "record/base/per_side.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"
#include "reports/json_around.h"
#include "reports/json_lines.h"
#include "reports/json_values.h"
#include "reports/page_bundle.h"
#include "reports/render_chain.h"
#include "reports/table/table_summary.h"
#include "reports/words/change_words.h"
#include "reports/words/result_words.h"

namespace onnxcmp {
namespace {

// The part of a page that elements and maps may take. Most comparisons make a page that fits into a
// mail; more is there for those who allow more.
constexpr size_t kPictureShare = 10;

std::string Escaped(absl::string_view text) { return EscapedMarkup(PrintableText(text)); }

// 'sha256-...', by which a content security policy allows an inline script.
std::string Source(absl::string_view sha256) {
  return absl::StrCat("'sha256-", absl::Base64Escape(absl::HexStringToBytes(sha256)), "'");
}

std::string Policy(const PageBundle& bundle) {
  return absl::StrCat("default-src 'none'; script-src ", Source(bundle.script_sha256),
                      "; style-src ", Source(bundle.style_sha256),
                      "; img-src blob:; worker-src blob:; base-uri 'none'; form-action 'none'");
}

absl::string_view FileOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

std::string Title(const Comparison& comparison) {
  const auto file = [](const SideSummary& side, const ResultStream& stream) {
    return FileOf(side.source.empty() ? stream.source : side.source);
  };
  return absl::StrCat(VerdictName(comparison.verdict()), ": ",
                      file(comparison.left_summary, comparison.left), " | ",
                      file(comparison.right_summary, comparison.right), " - onnxcmp");
}

// Where a folder is, seen from the page; "" if that is not known.
std::string SeenFromPage(const std::string& folder, const HtmlOptions& options) {
  if (folder.empty() || !options.folder.has_value()) return "";
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, error);
  const std::filesystem::path page =
      std::filesystem::absolute(options.folder->empty() ? "." : *options.folder, error);
  if (error) return "";
  return absolute.lexically_normal().lexically_relative(page.lexically_normal()).generic_string();
}

std::string PageMember(const Comparison& comparison, const HtmlOptions& options,
                       const PageDetail& detail, const PageCounts& counts) {
  ReportJson json = {{"command", options.command}};
  if (options.sets.size() > 1) {
    json["set"] = options.set;
    json["set_name"] = options.set_name;
    json["sets"] = options.sets;
  }
  json["left_out"] = ReportJson::array();
  const auto left_out = [&](absl::string_view what, size_t has, size_t all) {
    if (has == all) return;
    const std::string of = has == 0 ? "rows" : absl::StrCat(all - has, " of ", all, " rows");
    json["left_out"].push_back(absl::StrCat(what, " of ", of));
  };
  left_out("the worst elements", counts.elements, counts.all_elements);
  left_out("elements and maps", counts.pictures, counts.all_pictures);
  if (!detail.statistics) json["left_out"].push_back("statistics of results");
  for (size_t i = 0; i < comparison.causes.size(); ++i) {
    const std::string folder = SeenFromPage(comparison.causes[i].repro_folder, options);
    if (folder.empty()) continue;
    json["repro"].push_back({{"cause", i}, {"folder", folder}});
  }
  return DumpJson(json);
}

// Nothing in it ends its element or begins a comment: '<' occurs in strings alone. `begin`: of it
// in the text.
void Escape(size_t begin, std::string* text) {
  if (text->find('<', begin) == std::string::npos) return;
  const std::string json =
      absl::StrReplaceAll(absl::string_view(*text).substr(begin), {{"<", "\\u003c"}});
  text->resize(begin);
  *text += json;
}

void AppendData(const Comparison& comparison, const HtmlOptions& options, const PageDetail& detail,
                std::string* text) {
  const size_t begin = text->size();
  PageCounts counts;
  const std::string around = JsonAround(comparison, {kLeftOfPage, kRightOfPage, kRowsOfPage});
  AppendPage(around, comparison, detail, &counts, text);
  text->resize(text->rfind('}'));
  if (!options.generation.empty()) absl::StrAppend(text, ",\n\"generation\":", options.generation);
  absl::StrAppend(text, ",\n\"page\":", PageMember(comparison, options, detail, counts), "}\n");
  Escape(begin, text);
}

// The report as it stands in its element, with as much detail as there is room for.
void AppendPageData(const Comparison& comparison, const HtmlOptions& options, std::string* text) {
  const PageBundle& bundle = GetPageBundle();
  const size_t begin = text->size();
  const size_t taken = bundle.script.size() + bundle.style.size();
  const size_t room = (options.most_bytes - std::min(options.most_bytes, taken)) / options.parts;
  PageDetail detail;
  detail.picture_bytes = static_cast<int64_t>(options.most_bytes / options.parts / kPictureShare);
  AppendData(comparison, options, detail, text);
  if (text->size() - begin > room) {
    // Causes come first among the rows, and keep their elements.
    detail.rows_with_elements = comparison.causes.size();
    detail.statistics = false;
    detail.picture_bytes /= kPictureShare;
    text->resize(begin);
    AppendData(comparison, options, detail, text);
  }
}

// For browsers without scripts, and for programs that read only the text.
std::string PlainText(const Comparison& comparison) {
  std::string text = absl::StrCat("<h1>", VerdictName(comparison.verdict()), "</h1>\n");
  for (const std::string& line : VerdictText(comparison)) {
    absl::StrAppend(&text, "<p>", Escaped(line), "</p>\n");
  }
  for (const Cause& cause : comparison.causes) {
    absl::StrAppend(&text, "<p>cause: ", Escaped(CauseName(comparison, cause, SideId::kLeft)),
                    " | ", Escaped(CauseName(comparison, cause, SideId::kRight)), ": ",
                    Escaped(cause.text), "</p>\n");
  }
  for (const auto& [label, line] : ChangeLines(WhatChanged(comparison))) {
    absl::StrAppend(&text, "<p>", label, ": ",
                    Escaped(absl::StrReplaceAll(line, {{kNoBreak, " "}})), "</p>\n");
  }
  return text;
}

std::string PlainText(const Chain& chain) {
  std::string text = absl::StrCat("<h1>", VerdictName(VerdictOf(chain)), "</h1>\n");
  for (const ChainStep& step : chain.steps) {
    absl::StrAppend(&text, "<p>", Escaped(StepName(chain, step)), ": ", Escaped(step.worst.text),
                    "</p>\n");
  }
  return text;
}

// All of a page above its elements with JSON.
std::string Head(std::optional<Verdict> verdict, absl::string_view title, absl::string_view plain) {
  const PageBundle& bundle = GetPageBundle();
  const std::string attribute =
      verdict.has_value() ? absl::StrCat(" data-verdict=\"", VerdictName(*verdict), "\"") : "";
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"", attribute, ">\n<head>\n<meta charset=\"utf-8\">\n",
      "<meta http-equiv=\"Content-Security-Policy\" content=\"", Policy(bundle), "\">\n",
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
      "<meta name=\"color-scheme\" content=\"light dark\">\n", "<title>", Escaped(title),
      "</title>\n<style>", bundle.style, "</style>\n</head>\n<body>\n", "<noscript>\n", plain,
      "<p>The rest of this page needs JavaScript.</p>\n</noscript>\n");
}

// All below them.
void AppendFoot(std::string* page) {
  absl::StrAppend(page, "<script>", GetPageBundle().script, "</script>\n</body>\n</html>\n");
}

void BeginElement(absl::string_view id, std::string* page) {
  absl::StrAppend(page, "<script type=\"application/json\" id=\"", id, "\">\n");
}

void EndElement(std::string* page) { absl::StrAppend(page, "</script>\n"); }

void AppendGraphs(std::string graphs, std::string* page) {
  Escape(0, &graphs);
  BeginElement("onnxcmp-graphs", page);
  *page += graphs;
  EndElement(page);
}

// A page with a report for each part of what the overview is of.
std::string PageOfParts(Verdict verdict, absl::string_view title, absl::string_view plain,
                        std::string overview, const std::vector<std::string>& reports,
                        std::string graphs = "") {
  Escape(0, &overview);
  std::string page =
      Head(verdict, absl::StrCat(VerdictName(verdict), ": ", title, " - onnxcmp"), plain);
  BeginElement("onnxcmp", &page);
  page += overview;
  EndElement(&page);
  for (size_t i = 0; i < reports.size(); ++i) {
    BeginElement(absl::StrCat("onnxcmp-", i), &page);
    page += reports[i];
    EndElement(&page);
  }
  if (!graphs.empty()) AppendGraphs(std::move(graphs), &page);
  AppendFoot(&page);
  return page;
}

}  // namespace

std::string PageData(const Comparison& comparison, const HtmlOptions& options) {
  std::string data;
  AppendPageData(comparison, options, &data);
  return data;
}

std::string RenderHtml(const Comparison& comparison, const HtmlOptions& options) {
  std::string page = Head(comparison.verdict(), Title(comparison), PlainText(comparison));
  BeginElement("onnxcmp", &page);
  AppendPageData(comparison, options, &page);
  EndElement(&page);
  AppendFoot(&page);
  return page;
}

std::string RenderSetsHtml(const std::vector<SetSummary>& sets,
                           const std::vector<std::string>& reports, const std::string& command) {
  ReportJson overview = {{"sets", ReportJson::array()},
                         {"verdict", std::string(VerdictName(OverallVerdict(sets)))},
                         {"exit_status", OverallExitStatus(sets)}};
  std::string plain = absl::StrCat("<h1>", VerdictName(OverallVerdict(sets)), "</h1>\n");
  for (const SetSummary& set : sets) {
    overview["sets"].push_back({{"name", set.name},
                                {"verdict", std::string(VerdictName(set.verdict))},
                                {"exit_status", set.exit_status},
                                {"text", set.text}});
    absl::StrAppend(&plain, "<p>", Escaped(set.name), ": ", Escaped(set.text), "</p>\n");
  }
  if (!command.empty()) overview["command"] = command;
  return PageOfParts(OverallVerdict(sets), absl::StrCat(sets.size(), " sets of inputs"), plain,
                     DumpJson(overview), reports);
}

std::string RenderChainHtml(const Chain& chain, const std::vector<std::string>& reports,
                            const std::string& command, std::string graphs) {
  const absl::string_view first = chain.models.empty() ? "" : FileOf(chain.models.front());
  const absl::string_view last = chain.models.empty() ? "" : FileOf(chain.models.back());
  return PageOfParts(VerdictOf(chain), absl::StrCat(first, " → ", last), PlainText(chain),
                     RenderChainJson(chain, command), reports, std::move(graphs));
}

std::string GraphsHtml(const std::string& title, const std::string& plain, std::string graphs) {
  std::string page = Head(std::nullopt, absl::StrCat(title, " - onnxcmp show"), plain);
  AppendGraphs(std::move(graphs), &page);
  AppendFoot(&page);
  return page;
}

}  // namespace onnxcmp
