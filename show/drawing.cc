#include "show/drawing.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/text/display_text.h"
#include "show/render_text.h"

namespace onnxcmp {
namespace {

constexpr int kMostLetters = 34;    // in a line of a box
constexpr size_t kMostDetails = 3;  // constants and attributes in a box
constexpr double kPadding = 8;
constexpr double kBetweenGraphs = 90;

std::string Line(absl::string_view text) {
  return ShortenEnd(PrintableText(text), kMostLetters, "…");
}

class GraphDrawer {
 public:
  explicit GraphDrawer(const NodeSelection& selection) : selection_(selection) {}

  DrawnGraph Draw(const ShownModel& model) {
    drawn_.title = model.path;
    Makers makers;
    AddGraph(model.graph, 0, &makers);
    DropUnread();
    return std::move(drawn_);
  }

  // The box of each node that is drawn.
  int BoxOf(const ShownNode& node) const {
    const auto it = box_of_.find(&node);
    return it == box_of_.end() ? -1 : number_[static_cast<size_t>(it->second)];
  }

 private:
  // By the name of a value: the box that makes it and its type.
  struct Maker {
    int box = -1;
    std::string type;
  };
  using Makers = absl::flat_hash_map<std::string, Maker>;

  int AddBox(DrawnBox box) {
    drawn_.boxes.push_back(std::move(box));
    return static_cast<int>(drawn_.boxes.size()) - 1;
  }

  void AddEnd(BoxKind kind, const std::string& name, const std::string& type, int depth,
              Makers* makers) {
    DrawnBox box;
    box.kind = kind;
    box.depth = depth;
    box.name = PrintableText(name);
    box.lines = {Line(name)};
    if (!type.empty()) box.lines.push_back(Line(type));
    box.more = type;
    const int number = AddBox(std::move(box));
    if (kind == BoxKind::kInput) {
      (*makers)[name] = {number, type};
    } else {
      Connect(name, number, *makers);
    }
  }

  void Connect(const std::string& value, int box, const Makers& makers) {
    const auto it = makers.find(value);
    if (value.empty() || it == makers.end() || it->second.box < 0) return;
    if (!connected_.insert({it->second.box, box}).second) return;
    drawn_.lines.push_back({it->second.box, box, it->second.type});
  }

  // Returns the boxes of the graph's outputs' makers to the node that has the graph.
  void AddGraph(const ShownGraph& graph, int depth, Makers* makers) {
    for (const std::string& input : graph.inputs) {
      if (graph.ConstantOf(input) != nullptr) continue;
      AddEnd(BoxKind::kInput, input, graph.TypeOf(input), depth, makers);
    }
    // Constants of inner graphs hide what the outer ones call the same.
    for (const ShownConstant& constant : graph.constants) (*makers)[constant.name] = {};
    for (const ShownNode& node : graph.nodes) AddNode(graph, node, depth, makers);
    if (depth > 0) return;
    for (const std::string& output : graph.outputs) {
      AddEnd(BoxKind::kOutput, output, graph.TypeOf(output), depth, makers);
    }
  }

  void AddNode(const ShownGraph& graph, const ShownNode& node, int depth, Makers* makers) {
    if (!selection_.Reaches(node)) {
      ++drawn_.left_out;
      for (const std::string& output : node.outputs) (*makers)[output] = {};
      return;
    }
    // Nodes inside come before the node's outputs.
    std::vector<Maker> inner_outputs;
    for (const auto& [name, body] : node.graphs) {
      Makers inner = *makers;
      AddGraph(*body, depth + 1, &inner);
      for (const std::string& output : body->outputs) {
        if (const auto it = inner.find(output); it != inner.end()) {
          inner_outputs.push_back(it->second);
        }
      }
    }
    DrawnBox box;
    box.depth = depth;
    box.name = PrintableText(node.label());
    box.lines = LinesOf(graph, node);
    box.more = absl::StrCat(NodeCall(graph, node), "\n", OutputTypes(graph, node),
                            node.scope.empty() ? "" : "\nin " + PrintableText(node.scope),
                            node.source.empty() ? "" : "\nfrom " + PrintableText(node.source));
    const int number = AddBox(std::move(box));
    box_of_[&node] = number;
    for (const std::string& input : node.inputs) Connect(input, number, *makers);
    for (const Maker& maker : inner_outputs) {
      if (maker.box >= 0 && connected_.insert({maker.box, number}).second) {
        drawn_.lines.push_back({maker.box, number, maker.type});
      }
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) (*makers)[output] = {number, graph.TypeOf(output)};
    }
  }

  static std::vector<std::string> LinesOf(const ShownGraph& graph, const ShownNode& node) {
    std::vector<std::string> lines = {Line(node.op())};
    lines.push_back(ShortenStart(PrintableText(node.label()), kMostLetters, "…"));
    std::vector<std::string> details;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ShownConstant* constant = graph.ConstantOf(node.inputs[i]);
      if (constant == nullptr) continue;
      details.push_back(
          Line(absl::StrCat(i, ": ", constant->inlined() ? constant->value : constant->type())));
    }
    for (const auto& [name, value] : node.attributes) {
      details.push_back(Line(absl::StrCat(name, "=", value)));
    }
    if (details.size() > kMostDetails) {
      const size_t rest = details.size() - kMostDetails + 1;
      details.resize(kMostDetails - 1);
      details.push_back(absl::StrCat("… ", rest, " more"));
    }
    lines.insert(lines.end(), details.begin(), details.end());
    const std::string types = OutputTypes(graph, node);
    if (!types.empty()) lines.push_back(Line("→ " + types));
    return lines;
  }

  // Inputs and outputs that no drawn node has to do with, if not all nodes are drawn.
  void DropUnread() {
    std::vector<bool> touched(drawn_.boxes.size());
    for (const DrawnLine& line : drawn_.lines) {
      touched[static_cast<size_t>(line.from)] = true;
      touched[static_cast<size_t>(line.to)] = true;
    }
    std::vector<DrawnBox> kept;
    for (size_t i = 0; i < drawn_.boxes.size(); ++i) {
      const bool drop = !selection_.all() && drawn_.boxes[i].kind != BoxKind::kNode && !touched[i];
      number_.push_back(drop ? -1 : static_cast<int>(kept.size()));
      if (!drop) kept.push_back(std::move(drawn_.boxes[i]));
    }
    drawn_.boxes = std::move(kept);
    for (DrawnLine& line : drawn_.lines) {
      line.from = number_[static_cast<size_t>(line.from)];
      line.to = number_[static_cast<size_t>(line.to)];
    }
  }

  const NodeSelection& selection_;
  DrawnGraph drawn_;
  absl::flat_hash_map<const ShownNode*, int> box_of_;
  absl::flat_hash_set<std::pair<int, int>> connected_;
  std::vector<int> number_;
};

std::vector<LayoutLine> LinesOf(const DrawnGraph& graph) {
  std::vector<LayoutLine> lines;
  for (const DrawnLine& line : graph.lines) lines.push_back({line.from, line.to});
  return lines;
}

std::vector<LayoutBox> BoxesOf(const DrawnGraph& graph) {
  std::vector<LayoutBox> boxes;
  for (const DrawnBox& box : graph.boxes) {
    int width = 4;
    for (const std::string& line : box.lines) width = std::max(width, DisplayWidth(line));
    boxes.push_back({width * kLetterWidth + 2 * kPadding,
                     static_cast<double>(box.lines.size()) * kTextLine + kPadding});
  }
  return boxes;
}

// Inputs and outputs belong together by their place.
void PairEnds(BoxKind kind, Drawing* drawing) {
  std::vector<std::vector<int>> ends(2);
  for (size_t g = 0; g < 2; ++g) {
    for (size_t i = 0; i < drawing->graphs[g].boxes.size(); ++i) {
      const DrawnBox& box = drawing->graphs[g].boxes[i];
      if (box.kind == kind && box.depth == 0) ends[g].push_back(static_cast<int>(i));
    }
  }
  const size_t both = std::min(ends[0].size(), ends[1].size());
  for (size_t k = 0; k < std::max(ends[0].size(), ends[1].size()); ++k) {
    for (const size_t g : {size_t{0}, size_t{1}}) {
      if (k >= ends[g].size()) continue;
      DrawnBox& box = drawing->graphs[g].boxes[static_cast<size_t>(ends[g][k])];
      if (k < both) {
        box.partner = ends[1 - g][k];
      } else {
        box.relation = g == 0 ? NodeRelation::kLeftOnly : NodeRelation::kRightOnly;
      }
    }
  }
}

}  // namespace

const char* SignOf(NodeRelation relation) {
  static constexpr const char* kSigns[] = {"=", "≠", "-", "+"};
  return kSigns[static_cast<size_t>(relation)];
}

const char* NameOf(NodeRelation relation) {
  static constexpr const char* kNames[] = {"same", "different", "left", "right"};
  return kNames[static_cast<size_t>(relation)];
}

Drawing DrawModel(const ShownModel& model, const NodeSelection& selection) {
  Drawing drawing;
  drawing.graphs.push_back(GraphDrawer(selection).Draw(model));
  return drawing;
}

Drawing DrawPair(const ShownModel& left, const ShownModel& right,
                 const std::vector<NodePair>& pairs, const NodeSelection& left_selection,
                 const NodeSelection& right_selection) {
  GraphDrawer left_drawer(left_selection);
  GraphDrawer right_drawer(right_selection);
  Drawing drawing;
  drawing.graphs.push_back(left_drawer.Draw(left));
  drawing.graphs.push_back(right_drawer.Draw(right));
  for (const NodePair& pair : pairs) {
    const int l =
        pair.left < 0 ? -1 : left_drawer.BoxOf(left.graph.nodes[static_cast<size_t>(pair.left)]);
    const int r = pair.right < 0
                      ? -1
                      : right_drawer.BoxOf(right.graph.nodes[static_cast<size_t>(pair.right)]);
    for (const auto& [g, box, partner] : {std::tuple(0, l, r), std::tuple(1, r, l)}) {
      if (box < 0) continue;
      DrawnBox& drawn = drawing.graphs[static_cast<size_t>(g)].boxes[static_cast<size_t>(box)];
      drawn.relation = pair.relation;
      drawn.partner = partner;
      if (!pair.difference.empty()) {
        drawn.lines.push_back(Line("≠ " + pair.difference));
        absl::StrAppend(&drawn.more, "\n≠ ", pair.difference);
      }
    }
  }
  PairEnds(BoxKind::kInput, &drawing);
  PairEnds(BoxKind::kOutput, &drawing);
  return drawing;
}

PlacedDrawing PlaceDrawing(const Drawing& drawing) {
  PlacedDrawing placed;
  std::vector<std::vector<int>> rows;
  for (const DrawnGraph& graph : drawing.graphs) placed.boxes.push_back(BoxesOf(graph));
  const auto size = [&](size_t g) { return static_cast<int>(drawing.graphs[g].boxes.size()); };
  if (drawing.paired()) {
    std::vector<LayoutLine> pairs;
    for (size_t i = 0; i < drawing.graphs[0].boxes.size(); ++i) {
      const int partner = drawing.graphs[0].boxes[i].partner;
      if (partner >= 0) pairs.push_back({static_cast<int>(i), partner});
    }
    PairedRows both = RowsOfPairs(size(0), LinesOf(drawing.graphs[0]), size(1),
                                  LinesOf(drawing.graphs[1]), std::move(pairs));
    rows = {std::move(both.first), std::move(both.second)};
  } else {
    rows.push_back(RowsOf(size(0), LinesOf(drawing.graphs[0])));
  }
  // Rows of both graphs are equally high.
  std::vector<double> heights;
  for (size_t g = 0; g < rows.size(); ++g) {
    for (size_t i = 0; i < rows[g].size(); ++i) {
      const auto row = static_cast<size_t>(rows[g][i]);
      if (heights.size() <= row) heights.resize(row + 1);
      heights[row] = std::max(heights[row], placed.boxes[g][i].height);
    }
  }
  for (size_t g = 0; g < rows.size(); ++g) {
    placed.layouts.push_back(LayOut(placed.boxes[g], LinesOf(drawing.graphs[g]), rows[g], heights));
    placed.offsets.push_back(placed.width + (g > 0 ? kBetweenGraphs : 0));
    // A title has room, too.
    const double title = DisplayWidth(PrintableText(drawing.graphs[g].title)) * kLetterWidth * 1.2;
    placed.width = placed.offsets.back() + std::max(placed.layouts.back().width, title);
    placed.height = std::max(placed.height, placed.layouts.back().height);
  }
  return placed;
}

}  // namespace onnxcmp
