#include "show/render_drawing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"
#include "reports/layout/letters.h"
#include "reports/render_html.h"
#include "show/drawing_json.h"

namespace onnxcmp {
namespace {

constexpr double kMargin = 12;

constexpr const char* kStyle = R"(svg.drawing {
  --ink: #1c2126; --line: #6b7680; --box: #f4f6f8; --edge: #7d8893; --end: #eef3e6;
  --different: #a33500; --different-box: #fdeee6; --left: #6a3fa0; --left-box: #f1edf8;
  --right: #00655a; --right-box: #e3f4f0;
  background: #ffffff;
  font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
text { fill: var(--ink); text-anchor: middle; white-space: pre; }
text.head { text-anchor: start; }
text.title { font-size: 13px; font-weight: bold; text-anchor: start; }
.op { font-weight: bold; }
path { fill: none; stroke: var(--line); }
path.pair { stroke-dasharray: 2 5; opacity: 0.6; }
path.tip { fill: var(--line); stroke: none; }
rect { fill: var(--box); stroke: var(--edge); }
.end rect { fill: var(--end); }
.inner rect { stroke-dasharray: 4 2; }
.different rect { fill: var(--different-box); stroke: var(--different); stroke-width: 2.5; }
.left rect { fill: var(--left-box); stroke: var(--left); stroke-dasharray: 6 3; }
.right rect { fill: var(--right-box); stroke: var(--right); stroke-dasharray: 1 2; }
.difference { fill: var(--different); }
)";

std::string Number(double number) { return absl::StrCat(std::round(number * 10) / 10); }

// "a", "b", ..., "z", "aa": a graph's by its number, and its boxes'.
std::string SideLetters(size_t g) {
  const std::string last(1, static_cast<char>('a' + g % 26));
  return g < 26 ? last : SideLetters(g / 26 - 1) + last;
}

std::string BoxId(size_t g, int i) { return absl::StrCat(SideLetters(g), i); }

std::string TitleOf(const Drawing& drawing) {
  std::vector<std::string> titles;
  for (const DrawnGraph& graph : drawing.graphs) titles.push_back(PrintableText(graph.title));
  return absl::StrJoin(titles, " | ");
}

class SvgWriter {
 public:
  explicit SvgWriter(const Drawing& drawing) : drawing_(drawing), placed_(PlaceDrawing(drawing)) {
    if (drawing_.paired()) head_ = Head(drawing_);
    top_ = kMargin + kTitleHeight + static_cast<double>(head_.size()) * kTextLine;
  }

  std::string Text() {
    double width = placed_.width;
    for (const std::string& line : head_) {
      width = std::max(width, DisplayWidth(line) * kLetterWidth);
    }
    width += 2 * kMargin;
    const double height = placed_.height + top_ + kMargin;
    text_ =
        absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" role=\"img\" ",
                     "aria-label=\"", EscapedMarkup(TitleOf(drawing_)), "\" viewBox=\"0 0 ",
                     Number(width), " ", Number(height), "\" width=\"", Number(width),
                     "\" height=\"", Number(height), "\">\n<style>\n", kStyle, "</style>\n");
    for (size_t i = 0; i < head_.size(); ++i) {
      absl::StrAppend(&text_, "<text class=\"head", i > 0 ? " difference" : "", "\" x=\"",
                      Number(kMargin), "\" y=\"",
                      Number(kMargin + 13 + kTextLine * static_cast<double>(i)), "\">",
                      EscapedMarkup(head_[i]), "</text>\n");
    }
    for (size_t g = 0; g < drawing_.graphs.size(); ++g) Graph(g);
    for (size_t g = 0; g + 1 < drawing_.graphs.size(); ++g) Pairs(g);
    return text_ + "</svg>\n";
  }

 private:
  // The lines above all graphs.
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
        &text_, "<g id=\"", BoxId(g, static_cast<int>(i)), "\" class=\"", classes,
        "\" transform=\"translate(", Number(center.x), " ", Number(center.y), ")\" data-name=\"",
        EscapedMarkup(box.name), "\" data-op=\"",
        box.kind == BoxKind::kNode ? EscapedMarkup(box.lines[0]) : "", "\" data-relation=\"",
        NameOf(box.relation), "\"",
        box.after >= 0 ? absl::StrCat(" data-partner=\"", BoxId(g + 1, box.after), "\"") : "",
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

  // Between a graph and the next, from what differs to its partner.
  void Pairs(size_t g) {
    for (size_t i = 0; i < drawing_.graphs[g].boxes.size(); ++i) {
      const DrawnBox& box = drawing_.graphs[g].boxes[i];
      if (box.after < 0) continue;
      const auto r = static_cast<size_t>(box.after);
      const LayoutPoint& a = placed_.layouts[g].centers[i];
      const LayoutPoint& b = placed_.layouts[g + 1].centers[r];
      if (box.relation == NodeRelation::kSame && a.y == b.y) continue;
      absl::StrAppend(&text_, "<path class=\"pair\" d=\"M",
                      Number(Left(g) + a.x + placed_.boxes[g][i].width / 2), " ",
                      Number(top_ + a.y), "L",
                      Number(Left(g + 1) + b.x - placed_.boxes[g + 1][r].width / 2), " ",
                      Number(top_ + b.y), "\"/>\n");
    }
  }

  const Drawing& drawing_;
  const PlacedDrawing placed_;
  std::vector<std::string> head_;
  double top_ = 0;  // of the graphs
  std::string text_;
};

std::string DotQuoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// By relation, as in the drawing of a comparison.
constexpr const char* kColors[] = {"#4f5963", "#a33500", "#6a3fa0", "#00655a"};
constexpr const char* kFills[] = {"#f0f2f4", "#fdeee6", "#f1edf8", "#e3f4f0"};

}  // namespace

std::string RenderSvg(const Drawing& drawing) { return SvgWriter(drawing).Text(); }

std::string RenderDrawingPage(const Drawing& drawing) {
  std::string plain;
  for (const DrawnGraph& graph : drawing.graphs) {
    absl::StrAppend(&plain, "<p>", EscapedMarkup(PrintableText(graph.title)), "</p>\n");
  }
  absl::StrAppend(&plain, "<p>", EscapedMarkup(drawing.summary), "</p>\n");
  for (const std::string& difference : drawing.differences) {
    absl::StrAppend(&plain, "<p>≠ ", EscapedMarkup(difference), "</p>\n");
  }
  return GraphsHtml(TitleOf(drawing), plain, DrawingJson(drawing));
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
    absl::StrAppend(&text, "  label=", absl::StrReplaceAll(DotQuoted(label), {{"\n", "\\n"}}),
                    ";\n  labelloc=t;\n");
  }
  for (size_t g = 0; g < drawing.graphs.size(); ++g) {
    absl::StrAppend(&text, "  subgraph cluster_", SideLetters(g),
                    " {\n    label=", DotQuoted(PrintableText(drawing.graphs[g].title)), ";\n");
    for (size_t i = 0; i < drawing.graphs[g].boxes.size(); ++i) {
      const DrawnBox& box = drawing.graphs[g].boxes[i];
      std::vector<std::string> lines;
      for (const std::string& line : box.lines) {
        lines.push_back(absl::StrReplaceAll(line, {{"\\", "\\\\"}, {"\"", "\\\""}}));
      }
      const auto color = static_cast<size_t>(box.relation);
      absl::StrAppend(&text, "    ", BoxId(g, static_cast<int>(i)), " [label=\"",
                      absl::StrJoin(lines, "\\n"), "\", tooltip=", DotQuoted(box.name),
                      ", color=\"", kColors[color], "\", fillcolor=\"", kFills[color], "\"",
                      box.kind == BoxKind::kNode ? "" : ", shape=oval",
                      box.depth > 0 ? ", style=\"filled,dashed\"" : "", "];\n");
    }
    for (const DrawnLine& line : drawing.graphs[g].lines) {
      absl::StrAppend(&text, "    ", BoxId(g, line.from), " -> ", BoxId(g, line.to), ";\n");
    }
    text += "  }\n";
  }
  for (size_t g = 0; g + 1 < drawing.graphs.size(); ++g) {
    for (size_t i = 0; i < drawing.graphs[g].boxes.size(); ++i) {
      const DrawnBox& box = drawing.graphs[g].boxes[i];
      if (box.after < 0) continue;
      const std::string left = BoxId(g, static_cast<int>(i));
      const std::string right = BoxId(g + 1, box.after);
      absl::StrAppend(&text, "  {rank=same; ", left, "; ", right, ";}\n  ", left, " -> ", right,
                      " [dir=none, style=dashed, constraint=false, color=\"",
                      kColors[static_cast<size_t>(box.relation)], "\"];\n");
    }
  }
  return text + "}\n";
}

}  // namespace onnxcmp
