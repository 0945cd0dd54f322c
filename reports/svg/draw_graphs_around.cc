#include "reports/svg/draw_graphs_around.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "record/base/per_side.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"
#include "reports/layout/layered_layout.h"
#include "reports/layout/letters.h"
#include "reports/svg/graphs_around.h"

namespace onnxcmp {
namespace {

constexpr double kBoxPadding = 10;

struct PlacedGraph {
  std::vector<LayoutBox> sizes;
  Layout layout;
};

std::vector<LayoutBox> SizesOf(const GraphAround& graph) {
  std::vector<LayoutBox> sizes;
  for (const BoxAround& box : graph.boxes) {
    // The error stands beside the operator.
    int columns = DisplayWidth(box.lines.front()) + DisplayWidth(box.error) + 2;
    for (const std::string& line : box.lines) columns = std::max(columns, DisplayWidth(line));
    sizes.push_back({columns * kLetterWidth + 2 * kBoxPadding,
                     static_cast<double>(box.lines.size()) * kTextLine + kBoxPadding});
  }
  return sizes;
}

PerSide<PlacedGraph> Place(const GraphsAround& around) {
  PerSide<PlacedGraph> placed;
  for (const SideId side : kBothSides) placed[side].sizes = SizesOf(around.sides[side]);
  const auto linked = [&](SideId side) {
    const GraphAround& graph = around.sides[side];
    return LinkedBoxes{static_cast<int>(graph.boxes.size()), graph.lines, {}};
  };
  std::vector<LinkedBoxes> graphs = {linked(SideId::kLeft), linked(SideId::kRight)};
  graphs[1].pairs = around.pairs;
  std::vector<std::vector<int>> both = RowsOfAll(graphs);
  const PerSide<std::vector<int>> rows = {std::move(both[0]), std::move(both[1])};
  // Rows of both graphs are equally high.
  std::vector<double> heights;
  for (const SideId side : kBothSides) {
    for (size_t i = 0; i < rows[side].size(); ++i) {
      const auto row = static_cast<size_t>(rows[side][i]);
      if (heights.size() <= row) heights.resize(row + 1);
      heights[row] = std::max(heights[row], placed[side].sizes[i].height);
    }
  }
  for (const SideId side : kBothSides) {
    placed[side].layout = LayOut(placed[side].sizes, around.sides[side].lines, rows[side], heights);
  }
  return placed;
}

std::string LineMarkup(const std::vector<LayoutPoint>& points) {
  std::string way = absl::StrCat("M", SvgNumber(points[0].x), " ", SvgNumber(points[0].y));
  for (size_t i = 1; i < points.size(); ++i) {
    const double middle = (points[i - 1].y + points[i].y) / 2;
    absl::StrAppend(&way, "C", SvgNumber(points[i - 1].x), " ", SvgNumber(middle), " ",
                    SvgNumber(points[i].x), " ", SvgNumber(middle), " ", SvgNumber(points[i].x),
                    " ", SvgNumber(points[i].y - (i + 1 == points.size() ? 5 : 0)));
  }
  const LayoutPoint& end = points.back();
  return absl::StrCat("<path class=\"line\" d=\"", way, "\"/><path class=\"tip\" d=\"M",
                      SvgNumber(end.x), " ", SvgNumber(end.y), "l-3.5 -7h7z\"/>\n");
}

std::string TextMarkup(absl::string_view look, double x, double y, absl::string_view text) {
  return absl::StrCat("<text", look.empty() ? "" : absl::StrCat(" class=\"", look, "\""), " x=\"",
                      SvgNumber(x), "\" y=\"", SvgNumber(y), "\">", EscapedMarkup(text), "</text>");
}

std::string BoxMarkup(const BoxAround& box, const LayoutBox& size, const LayoutPoint& center) {
  const auto relation = static_cast<size_t>(box.relation);
  const bool alone = box.relation == Relation::kLeftOnly || box.relation == Relation::kRightOnly;
  const double x = center.x - size.width / 2;
  const double y = center.y - size.height / 2;
  std::string markup =
      absl::StrCat("<g class=\"box\"><rect x=\"", SvgNumber(x), "\" y=\"", SvgNumber(y),
                   "\" width=\"", SvgNumber(size.width), "\" height=\"", SvgNumber(size.height),
                   "\" rx=\"", box.is_node ? 3 : 10, "\" fill=\"", kRelationFills[relation],
                   "\" stroke=\"", kRelationColors[relation], "\" stroke-width=\"",
                   box.is_cause ? 3.5 : 1.2, "\"", alone ? " stroke-dasharray=\"5 3\"" : "", "/>");
  double line = y + kTextLine;
  absl::StrAppend(&markup, TextMarkup("op", x + kBoxPadding, line, box.lines.front()));
  if (!box.error.empty()) {
    absl::StrAppend(&markup, TextMarkup("error", x + size.width - kBoxPadding, line, box.error));
  }
  for (size_t i = 1; i < box.lines.size(); ++i) {
    line += kTextLine;
    absl::StrAppend(&markup, TextMarkup("", x + kBoxPadding, line, box.lines[i]));
  }
  if (box.more_readers > 0) {
    const std::string more =
        absl::StrCat("+ ", box.more_readers, box.more_readers == 1 ? " reader" : " readers");
    absl::StrAppend(&markup, TextMarkup("more", x + size.width, y + size.height + 11, more));
  }
  return markup + "</g>\n";
}

double ScaleOf(const PerSide<PlacedGraph>& placed, double room) {
  double scale = 1;
  for (const SideId side : kBothSides) {
    if (placed[side].layout.width > room) scale = std::min(scale, room / placed[side].layout.width);
  }
  return scale;
}

std::string GraphMarkup(const GraphAround& graph, const PlacedGraph& placed) {
  std::string markup;
  for (const std::vector<LayoutPoint>& points : placed.layout.lines) {
    if (points.size() > 1) markup += LineMarkup(points);
  }
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    markup += BoxMarkup(graph.boxes[i], placed.sizes[i], placed.layout.centers[i]);
  }
  return markup;
}

std::string TitleOf(const Comparison& comparison, SideId side) {
  const SideSummary& summary =
      side == SideId::kLeft ? comparison.left_summary : comparison.right_summary;
  return absl::StrCat(SideName(side), ": ",
                      PrintableText(summary.source.substr(summary.source.rfind('/') + 1)));
}

}  // namespace

void DrawGraphsAround(const Comparison& comparison, absl::string_view title, int left, int right,
                      SvgPaper* paper) {
  const double half = (SvgPaper::kRight - SvgPaper::kMargin) / 2;
  const double room = half - 20;
  GraphsAround around;
  PerSide<PlacedGraph> placed;
  // The greatest number of boxes whose letters are readable.
  for (size_t most = 12; most >= 4; most -= 2) {
    around = AroundPair(comparison, left, right, most);
    placed = Place(around);
    if (ScaleOf(placed, room) >= 0.7) break;
  }
  const double scale = ScaleOf(placed, room);
  paper->Write(title, "heading", 1);
  paper->Skip(20);
  double height = 0;
  const PerSide<double> begins = {SvgPaper::kMargin, SvgPaper::kRight - room};
  for (const SideId side : kBothSides) {
    paper->WriteAt(ShortenStart(TitleOf(comparison, side), ColumnsOf("name", room), "…"), "name",
                   begins[side], paper->top());
    const Layout& layout = placed[side].layout;
    // In the middle of its half.
    const double x = begins[side] + std::max(0.0, room - layout.width * scale) / 2;
    paper->Put(absl::StrCat("<g transform=\"translate(", SvgNumber(x), " ",
                            SvgNumber(paper->top() + 12), ") scale(", scale, ")\">\n",
                            GraphMarkup(around.sides[side], placed[side]), "</g>\n"));
    height = std::max(height, layout.height * scale);
  }
  paper->Skip(12 + height + 16);
}

}  // namespace onnxcmp
