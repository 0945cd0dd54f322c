#include "show/drawing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/text/display_text.h"
#include "reports/layout/layered_layout.h"
#include "reports/layout/letters.h"
#include "show/model/pair_difference.h"
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

std::optional<int64_t> KnownBytes(const TypeInfo& type) {
  if (type.kind != TypeInfo::Kind::kTensor || !type.shape.has_value()) return std::nullopt;
  Shape shape;
  for (const TypeInfo::Dim& dim : *type.shape) {
    if (!dim.value.has_value()) return std::nullopt;
    shape.push_back(*dim.value);
  }
  const std::optional<int64_t> elements = NumElements(shape);
  return elements.has_value() ? ByteSize(type.dtype, *elements) : std::nullopt;
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

  // `ends`: counts those of the kind.
  void AddEnd(BoxKind kind, const std::string& name, const std::string& type, int depth, int* ends,
              Makers* makers) {
    DrawnBox box;
    box.kind = kind;
    if (depth == 0) box.number = (*ends)++;
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
    int inputs = 0;
    for (const std::string& input : graph.inputs) {
      if (graph.ConstantOf(input) != nullptr) continue;
      AddEnd(BoxKind::kInput, input, graph.TypeOf(input), depth, &inputs, makers);
    }
    // Constants of inner graphs hide what the outer ones call the same.
    for (const ShownConstant& constant : graph.constants) (*makers)[constant.name] = {};
    for (const ShownNode& node : graph.nodes) AddNode(graph, node, depth, makers);
    if (depth > 0) return;
    int outputs = 0;
    for (const std::string& output : graph.outputs) {
      AddEnd(BoxKind::kOutput, output, graph.TypeOf(output), depth, &outputs, makers);
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
    box.scope = PrintableText(node.scope);
    box.bytes = BytesOf(graph, node);
    box.microseconds = node.microseconds;
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

  // Of results whose sizes are known, and of constants.
  static int64_t BytesOf(const ShownGraph& graph, const ShownNode& node) {
    int64_t bytes = 0;
    for (const std::string& input : node.inputs) {
      if (const ShownConstant* constant = graph.ConstantOf(input)) bytes += constant->bytes;
    }
    for (const std::string& output : node.outputs) {
      const auto it = graph.types.find(output);
      if (it != graph.types.end()) bytes += KnownBytes(it->second).value_or(0);
    }
    return bytes;
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

void MarkBox(const std::string& difference, DrawnBox* box) {
  box->lines.push_back(Line("≠ " + difference));
  absl::StrAppend(&box->more, "\n≠ ", difference);
}

// The first relation to a neighbour that is not the same counts.
void Relate(NodeRelation relation, int partner, bool is_left, DrawnBox* box) {
  if (box->relation == NodeRelation::kSame) box->relation = relation;
  (is_left ? box->after : box->before) = partner;
}

// Inputs and outputs of graph `left` and of the next belong together by their place. `counts`: how
// many either model has, for those that no drawn node has to do with are no boxes.
void PairEnds(BoxKind kind, size_t left, const std::array<size_t, 2>& counts,
              const std::vector<EndDifference>& differences, Drawing* drawing) {
  std::array<std::vector<int>, 2> box_of;
  for (const size_t g : {size_t{0}, size_t{1}}) {
    box_of[g].assign(std::max(counts[0], counts[1]), -1);
    const std::vector<DrawnBox>& boxes = drawing->graphs[left + g].boxes;
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].kind != kind || boxes[i].number < 0) continue;
      const auto number = static_cast<size_t>(boxes[i].number);
      if (number < box_of[g].size()) box_of[g][number] = static_cast<int>(i);
    }
  }
  for (const size_t g : {size_t{0}, size_t{1}}) {
    for (size_t number = 0; number < counts[g]; ++number) {
      if (box_of[g][number] < 0) continue;
      DrawnBox& box = drawing->graphs[left + g].boxes[static_cast<size_t>(box_of[g][number])];
      const auto relation = number < counts[1 - g] ? NodeRelation::kSame
                            : g == 0               ? NodeRelation::kLeftOnly
                                                   : NodeRelation::kRightOnly;
      Relate(relation, box_of[1 - g][number], g == 0, &box);
      if (relation != NodeRelation::kSame) continue;
      for (const EndDifference& difference : differences) {
        const bool is_input = difference.end == EndDifference::End::kInput;
        if (difference.end == EndDifference::End::kNone || difference.number != number ||
            is_input != (kind == BoxKind::kInput)) {
          continue;
        }
        box.relation = NodeRelation::kDifferent;
        MarkBox(difference.text, &box);
      }
    }
  }
}

size_t CountInputs(const ShownGraph& graph) {
  return static_cast<size_t>(
      std::count_if(graph.inputs.begin(), graph.inputs.end(),
                    [&](const std::string& name) { return graph.ConstantOf(name) == nullptr; }));
}

// "a.onnx → b.onnx: ", where there are more than two.
std::string StepOf(const Drawing& drawing, size_t left) {
  if (drawing.graphs.size() <= 2) return "";
  const auto file = [&](size_t g) {
    const std::string& title = drawing.graphs[g].title;
    return PrintableText(title.substr(title.rfind('/') + 1));
  };
  return absl::StrCat(file(left), " → ", file(left + 1), ": ");
}

// Graph `g` and the next, of these models.
void PairBoxes(size_t g, const std::array<const ShownModel*, 2>& models,
               const std::vector<NodePair>& pairs, const std::vector<GraphDrawer>& drawers,
               Drawing* drawing) {
  const ShownGraph& left = models[0]->graph;
  const ShownGraph& right = models[1]->graph;
  for (const NodePair& pair : pairs) {
    const int l = pair.left < 0 ? -1 : drawers[g].BoxOf(left.nodes[static_cast<size_t>(pair.left)]);
    const int r =
        pair.right < 0 ? -1 : drawers[g + 1].BoxOf(right.nodes[static_cast<size_t>(pair.right)]);
    for (const auto& [side, box, partner] : {std::tuple(0, l, r), std::tuple(1, r, l)}) {
      if (box < 0) continue;
      DrawnBox& drawn =
          drawing->graphs[g + static_cast<size_t>(side)].boxes[static_cast<size_t>(box)];
      // A node that says how it differs from the model before has said enough.
      const bool told = side == 0 && drawn.relation != NodeRelation::kSame;
      Relate(pair.relation, partner, side == 0, &drawn);
      if (!pair.difference.empty() && !told) MarkBox(pair.difference, &drawn);
    }
  }
  const std::vector<EndDifference> differences = ModelDifferences(*models[0], *models[1], pairs);
  PairEnds(BoxKind::kInput, g, {CountInputs(left), CountInputs(right)}, differences, drawing);
  PairEnds(BoxKind::kOutput, g, {left.outputs.size(), right.outputs.size()}, differences, drawing);
  const std::string step = StepOf(*drawing, g);
  absl::StrAppend(&drawing->summary, drawing->summary.empty() ? "" : "; ", step,
                  PairSummary(pairs, differences));
  for (const EndDifference& difference : differences) {
    drawing->differences.push_back(absl::StrCat(step, difference.text));
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

Drawing DrawModels(const std::vector<const ShownModel*>& models,
                   const std::vector<std::vector<NodePair>>& pairs,
                   const std::vector<NodeSelection>& selections) {
  std::vector<GraphDrawer> drawers;
  Drawing drawing;
  drawers.reserve(models.size());
  for (const NodeSelection& selection : selections) drawers.emplace_back(selection);
  for (size_t g = 0; g < models.size(); ++g) {
    drawing.graphs.push_back(drawers[g].Draw(*models[g]));
  }
  for (size_t g = 0; g < pairs.size(); ++g) {
    PairBoxes(g, {models[g], models[g + 1]}, pairs[g], drawers, &drawing);
  }
  return drawing;
}

PlacedDrawing PlaceDrawing(const Drawing& drawing) {
  PlacedDrawing placed;
  for (const DrawnGraph& graph : drawing.graphs) placed.boxes.push_back(BoxesOf(graph));
  std::vector<LinkedBoxes> graphs;
  for (const DrawnGraph& graph : drawing.graphs) {
    LinkedBoxes& linked = graphs.emplace_back();
    linked.boxes = static_cast<int>(graph.boxes.size());
    linked.lines = LinesOf(graph);
    for (int i = 0; i < linked.boxes; ++i) {
      const int before = graph.boxes[static_cast<size_t>(i)].before;
      if (before >= 0) linked.pairs.push_back({before, i});
    }
  }
  const std::vector<std::vector<int>> rows = RowsOfAll(graphs);
  // Rows of all graphs are equally high.
  std::vector<double> heights;
  for (size_t g = 0; g < rows.size(); ++g) {
    for (size_t i = 0; i < rows[g].size(); ++i) {
      const auto row = static_cast<size_t>(rows[g][i]);
      if (heights.size() <= row) heights.resize(row + 1);
      heights[row] = std::max(heights[row], placed.boxes[g][i].height);
    }
  }
  for (size_t g = 0; g < rows.size(); ++g) {
    placed.layouts.push_back(LayOut(placed.boxes[g], graphs[g].lines, rows[g], heights));
    placed.offsets.push_back(placed.width + (g > 0 ? kBetweenGraphs : 0));
    // A title has room, too.
    const double title = DisplayWidth(PrintableText(drawing.graphs[g].title)) * kLetterWidth * 1.2;
    placed.width = placed.offsets.back() + std::max(placed.layouts.back().width, title);
    placed.height = std::max(placed.height, placed.layouts.back().height);
  }
  return placed;
}

}  // namespace onnxcmp
