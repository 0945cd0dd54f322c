#include "show/drawing_json.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "record/text/display_text.h"
#include "reports/json_writer.h"

namespace onnxcmp {
namespace {

// To a tenth, in which drawings lie.
void Place(double number, JsonWriter& out) { out.Real(std::round(number * 10) / 10); }

// Names as the reports of comparisons have them.
const char* RelationOf(const DrawnBox& box) {
  switch (box.relation) {
    case NodeRelation::kSame:
      return "same";
    case NodeRelation::kDifferent:
      return "different";
    case NodeRelation::kLeftOnly:
      return "left_only";
    case NodeRelation::kRightOnly:
      return "right_only";
  }
  return "same";
}

void WriteBox(const DrawnBox& box, const LayoutBox& size, const LayoutPoint& center,
              JsonWriter& out) {
  out.BeginLine('{');
  out.Text("name", box.name);
  out.Begin("lines", '[');
  for (const std::string& line : box.lines) out.Text(line);
  out.End(']');
  out.Text("more", box.more);
  out.Text("relation", RelationOf(box));
  if (!box.scope.empty()) out.Text("scope", box.scope);
  if (box.kind != BoxKind::kNode) out.Bool("end", true);
  if (box.depth > 0) out.Bool("inner", true);
  if (box.before >= 0) out.Integer("before", box.before);
  if (box.after >= 0) out.Integer("after", box.after);
  if (box.bytes > 0) out.Integer("bytes", box.bytes);
  if (box.microseconds > 0) out.Real("microseconds", box.microseconds);
  out.Begin("box", '[');
  for (const double number : {center.x, center.y, size.width, size.height}) Place(number, out);
  out.End(']');
  out.End('}');
}

void WriteLine(const DrawnLine& line, const std::vector<LayoutPoint>& points, JsonWriter& out) {
  out.BeginLine('{');
  if (!line.type.empty()) out.Text("type", PrintableText(line.type));
  out.Begin("ends", '[');
  out.Integer(line.from);
  out.Integer(line.to);
  out.End(']');
  out.Begin("way", '[');
  for (const LayoutPoint& point : points) {
    Place(point.x, out);
    Place(point.y, out);
  }
  out.End(']');
  out.End('}');
}

}  // namespace

std::string DrawingJson(const Drawing& drawing) {
  const PlacedDrawing placed = PlaceDrawing(drawing);
  std::string json;
  JsonWriter out(&json, /*brief=*/true);
  out.Begin('{');
  out.Text("summary", drawing.summary);
  out.Begin("differences", '[');
  for (const std::string& difference : drawing.differences) out.Text(difference);
  out.End(']');
  out.Real("height", placed.height);
  out.Begin("graphs", '[');
  for (size_t g = 0; g < drawing.graphs.size(); ++g) {
    const DrawnGraph& graph = drawing.graphs[g];
    out.Begin('{');
    out.Text("title", PrintableText(graph.title));
    if (graph.left_out > 0) out.Integer("left_out", graph.left_out);
    out.Real("width", placed.layouts[g].width);
    out.Begin("boxes", '[');
    for (size_t i = 0; i < graph.boxes.size(); ++i) {
      WriteBox(graph.boxes[i], placed.boxes[g][i], placed.layouts[g].centers[i], out);
    }
    out.End(']');
    out.Begin("lines", '[');
    for (size_t i = 0; i < graph.lines.size(); ++i) {
      WriteLine(graph.lines[i], placed.layouts[g].lines[i], out);
    }
    out.End(']');
    out.End('}');
  }
  out.End(']');
  out.End('}');
  return json + "\n";
}

}  // namespace onnxcmp
