#include "show/render_drawing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"
#include "reports/layout/letters.h"
#include "show/page_bundle.h"

namespace onnxcmp {
namespace {

constexpr double kMargin = 12;

std::string Number(double number) { return absl::StrCat(std::round(number * 10) / 10); }

class SvgWriter {
 public:
  SvgWriter(const Drawing& drawing, bool alone)
      : drawing_(drawing), placed_(PlaceDrawing(drawing)), alone_(alone) {
    if (alone_ && drawing_.paired()) head_ = Head(drawing_);
    top_ = kMargin + kTitleHeight + static_cast<double>(head_.size()) * kTextLine;
  }

  std::string Text() {
    double width = placed_.width;
    for (const std::string& line : head_) {
      width = std::max(width, DisplayWidth(line) * kLetterWidth);
    }
    width += 2 * kMargin;
    const double height = placed_.height + top_ + kMargin;
    text_ = absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing",
                         IsLarge() ? " large" : "", "\" role=\"img\" aria-label=\"",
                         EscapedMarkup(Title()), "\" viewBox=\"0 0 ", Number(width), " ",
                         Number(height), "\"");
    if (alone_) {
      absl::StrAppend(&text_, " width=\"", Number(width), "\" height=\"", Number(height), "\"");
    }
    text_ += ">\n";
    if (alone_) absl::StrAppend(&text_, "<style>\n", GetDrawingBundle().style, "</style>\n");
    for (size_t i = 0; i < head_.size(); ++i) {
      absl::StrAppend(&text_, "<text class=\"head", i > 0 ? " difference" : "", "\" x=\"",
                      Number(kMargin), "\" y=\"",
                      Number(kMargin + 13 + kTextLine * static_cast<double>(i)), "\">",
                      EscapedMarkup(head_[i]), "</text>\n");
    }
    for (size_t g = 0; g < drawing_.graphs.size(); ++g) Graph(g);
    if (drawing_.paired()) Pairs();
    return text_ + "</svg>\n";
  }

 private:
  std::string Title() const {
    std::vector<std::string> titles;
    for (const DrawnGraph& graph : drawing_.graphs) titles.push_back(PrintableText(graph.title));
    return absl::StrJoin(titles, " | ");
  }

  // So large that a page shows what is in view alone.
  bool IsLarge() const {
    return !alone_ && std::any_of(drawing_.graphs.begin(), drawing_.graphs.end(),
                                  [](const DrawnGraph& graph) { return graph.boxes.size() > 300; });
  }

  // The lines above both graphs.
  static std::vector<std::string> Head(const Drawing& drawing) {
    constexpr size_t kMost = 12;
    constexpr int kMostColumns = 160;
    std::vector<std::string> lines = {drawing.summary};
    const size_t all = drawing.differences.size();
    const size_t shown = all > kMost ? kMost - 1 : all;
    for (size_t i = 0; i < shown; ++i) {
      lines.push_back(ShortenEnd("≠ " + drawing.differences[i], kMostColumns, "…"));
    }
    if (shown < all) lines.push_back(absl::StrCat("≠ ", all - shown, " more"));
    return lines;
  }

  double Left(size_t g) const { return kMargin + placed_.offsets[g]; }

  void Graph(size_t g) {
    const DrawnGraph& graph = drawing_.graphs[g];
    absl::StrAppend(
        &text_, "<text class=\"title\" x=\"", Number(Left(g)), "\" y=\"",
        Number(top_ - kTitleHeight + 13), "\">", EscapedMarkup(PrintableText(graph.title)),
        graph.left_out > 0 ? absl::StrCat(" (", graph.left_out, " nodes are not shown)") : "",
        "</text>\n<g transform=\"translate(", Number(Left(g)), " ", Number(top_), ")\">\n");
    for (size_t i = 0; i < graph.lines.size(); ++i) {
      Line(placed_.layouts[g].lines[i], graph.lines[i].type);
    }
    for (size_t i = 0; i < graph.boxes.size(); ++i) Box(g, i);
    text_ += "</g>\n";
  }

  // A curve through the bends, upright at each, and a tip.
  void Line(const std::vector<LayoutPoint>& points, const std::string& type) {
    std::string way = absl::StrCat("M", Number(points[0].x), " ", Number(points[0].y));
    for (size_t i = 1; i < points.size(); ++i) {
      const LayoutPoint& from = points[i - 1];
      LayoutPoint to = points[i];
      if (i + 1 == points.size()) to.y -= 5;
      const double middle = (from.y + to.y) / 2;
      if (from.x == to.x) {
        absl::StrAppend(&way, "V", Number(to.y));
      } else {
        absl::StrAppend(&way, "C", Number(from.x), " ", Number(middle), " ", Number(to.x), " ",
                        Number(middle), " ", Number(to.x), " ", Number(to.y));
      }
    }
    const LayoutPoint& end = points.back();
    absl::StrAppend(
        &text_, "<path d=\"", way, "\">",
        type.empty() ? "" : absl::StrCat("<title>", EscapedMarkup(PrintableText(type)), "</title>"),
        "</path><path class=\"tip\" d=\"M", Number(end.x), " ", Number(end.y), "l-3.5 -7h7z\"/>\n");
  }

  void Box(size_t g, size_t i) {
    const DrawnBox& box = drawing_.graphs[g].boxes[i];
    const LayoutBox& size = placed_.boxes[g][i];
    const LayoutPoint& center = placed_.layouts[g].centers[i];
    std::string classes = NameOf(box.relation);
    if (box.kind != BoxKind::kNode) classes += " end";
    if (box.depth > 0) classes += " inner";
    absl::StrAppend(
        &text_, "<g id=\"", Id(g, static_cast<int>(i)), "\" class=\"", classes,
        "\" transform=\"translate(", Number(center.x), " ", Number(center.y), ")\" data-name=\"",
        EscapedMarkup(box.name), "\" data-op=\"",
        box.kind == BoxKind::kNode ? EscapedMarkup(box.lines[0]) : "", "\" data-relation=\"",
        NameOf(box.relation), "\"",
        box.partner >= 0 ? absl::StrCat(" data-partner=\"", Id(1 - g, box.partner), "\"") : "",
        " tabindex=\"0\"><title>", EscapedMarkup(box.name), "\n", EscapedMarkup(box.more),
        "</title><rect x=\"", Number(-size.width / 2), "\" y=\"", Number(-size.height / 2),
        "\" width=\"", Number(size.width), "\" height=\"", Number(size.height), "\" rx=\"",
        box.kind == BoxKind::kNode ? 3 : 10, "\"/>");
    double y = -size.height / 2 + 14;
    for (size_t k = 0; k < box.lines.size(); ++k) {
      const bool difference = box.lines[k].rfind("≠", 0) == 0;
      absl::StrAppend(&text_, "<text y=\"", Number(y), "\"",
                      difference ? " class=\"difference\""
                      : k == 0   ? " class=\"op\""
                                 : "",
                      ">", EscapedMarkup(box.lines[k]), "</text>");
      y += kTextLine;
    }
    text_ += "</g>\n";
  }

  static std::string Id(size_t g, int i) { return absl::StrCat(g == 0 ? "l" : "r", i); }

  // Between the sides, from what differs to its partner.
  void Pairs() {
    for (size_t i = 0; i < drawing_.graphs[0].boxes.size(); ++i) {
      const DrawnBox& box = drawing_.graphs[0].boxes[i];
      if (box.partner < 0) continue;
      const auto r = static_cast<size_t>(box.partner);
      const LayoutPoint& a = placed_.layouts[0].centers[i];
      const LayoutPoint& b = placed_.layouts[1].centers[r];
      if (box.relation == NodeRelation::kSame && a.y == b.y) continue;
      absl::StrAppend(
          &text_, "<path class=\"pair\" d=\"M",
          Number(Left(0) + a.x + placed_.boxes[0][i].width / 2), " ", Number(top_ + a.y), "L",
          Number(Left(1) + b.x - placed_.boxes[1][r].width / 2), " ", Number(top_ + b.y), "\"/>\n");
    }
  }

  const Drawing& drawing_;
  const PlacedDrawing placed_;
  const bool alone_;
  std::vector<std::string> head_;
  double top_ = 0;  // of the graphs
  std::string text_;
};

std::string Source(absl::string_view sha256) {
  return absl::StrCat("'sha256-", absl::Base64Escape(absl::HexStringToBytes(sha256)), "'");
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// By relation, as in the drawing of a comparison.
constexpr const char* kColors[] = {"#4f5963", "#a33500", "#6a3fa0", "#00655a"};
constexpr const char* kFills[] = {"#f0f2f4", "#fdeee6", "#f1edf8", "#e3f4f0"};

}  // namespace

std::string RenderSvg(const Drawing& drawing) { return SvgWriter(drawing, /*alone=*/true).Text(); }

std::string RenderDrawingPage(const Drawing& drawing) {
  const PageBundle& bundle = GetDrawingBundle();
  std::vector<std::string> titles;
  for (const DrawnGraph& graph : drawing.graphs) {
    titles.push_back(EscapedMarkup(PrintableText(graph.title)));
  }
  const std::string title = absl::StrJoin(titles, " | ");
  std::string differences;
  if (drawing.paired()) {
    absl::StrAppend(&differences, "<section aria-label=\"What differs\"><p id=\"summary\">",
                    EscapedMarkup(drawing.summary), "; by structure alone, nothing was run</p>");
    if (!drawing.differences.empty()) differences += "<ul id=\"differences\">";
    for (const std::string& difference : drawing.differences) {
      absl::StrAppend(&differences, "<li>≠ ", EscapedMarkup(difference), "</li>");
    }
    if (!drawing.differences.empty()) differences += "</ul>";
    differences += "</section>\n";
  }
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\" class=\"page\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ",
      Source(bundle.script_sha256), "; style-src ", Source(bundle.style_sha256),
      "; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      title, " - onnxcmp show</title>\n<style>", bundle.style,
      "</style>\n</head>\n<body>\n<header><h1>", title,
      "</h1><label>Search <input type=\"search\" placeholder=\"name or operator  ( / )\"></label>"
      "<span id=\"count\" role=\"status\"></span>"
      "<button id=\"in\" type=\"button\">Enlarge</button>"
      "<button id=\"out\" type=\"button\">Reduce</button>"
      "<button id=\"fit\" type=\"button\">Whole</button></header>\n",
      differences, "<main><div id=\"view\">\n", SvgWriter(drawing, /*alone=*/false).Text(),
      "</div><aside id=\"more\" aria-label=\"What the chosen box stands for\" "
      "aria-live=\"polite\"></aside></main>\n<script>",
      bundle.script, "</script>\n</body>\n</html>\n");
}

std::string RenderDrawingDot(const Drawing& drawing) {
  std::string text =
      "digraph onnxcmp {\n  graph [newrank=true, fontname=\"sans-serif\"];\n"
      "  node [shape=box, style=filled, fontname=\"monospace\", fontsize=10];\n"
      "  edge [color=\"#4f5963\", arrowsize=0.6, fontsize=9];\n";
  if (drawing.paired()) {
    std::string label = drawing.summary;
    for (const std::string& difference : drawing.differences) {
      absl::StrAppend(&label, "\n≠ ", difference);
    }
    absl::StrAppend(&text, "  label=", absl::StrReplaceAll(Quoted(label), {{"\n", "\\n"}}),
                    ";\n  labelloc=t;\n");
  }
  for (size_t g = 0; g < drawing.graphs.size(); ++g) {
    const char* side = g == 0 ? "l" : "r";
    absl::StrAppend(&text, "  subgraph cluster_", side,
                    " {\n    label=", Quoted(PrintableText(drawing.graphs[g].title)), ";\n");
    for (size_t i = 0; i < drawing.graphs[g].boxes.size(); ++i) {
      const DrawnBox& box = drawing.graphs[g].boxes[i];
      std::vector<std::string> lines;
      for (const std::string& line : box.lines) {
        lines.push_back(absl::StrReplaceAll(line, {{"\\", "\\\\"}, {"\"", "\\\""}}));
      }
      const auto color = static_cast<size_t>(box.relation);
      absl::StrAppend(&text, "    ", side, i, " [label=\"", absl::StrJoin(lines, "\\n"),
                      "\", tooltip=", Quoted(box.name), ", color=\"", kColors[color],
                      "\", fillcolor=\"", kFills[color], "\"",
                      box.kind == BoxKind::kNode ? "" : ", shape=oval",
                      box.depth > 0 ? ", style=\"filled,dashed\"" : "", "];\n");
    }
    for (const DrawnLine& line : drawing.graphs[g].lines) {
      absl::StrAppend(&text, "    ", side, line.from, " -> ", side, line.to, ";\n");
    }
    text += "  }\n";
  }
  for (size_t i = 0; drawing.paired() && i < drawing.graphs[0].boxes.size(); ++i) {
    const int partner = drawing.graphs[0].boxes[i].partner;
    if (partner < 0) continue;
    absl::StrAppend(&text, "  {rank=same; l", i, "; r", partner, ";}\n  l", i, " -> r", partner,
                    " [dir=none, style=dashed, constraint=false, color=\"",
                    kColors[static_cast<size_t>(drawing.graphs[0].boxes[i].relation)], "\"];\n");
  }
  return text + "}\n";
}

}  // namespace onnxcmp
