// One graph, or two side by side, as boxes and lines.
#ifndef ONNXCMP_SHOW_DRAWING_H_
#define ONNXCMP_SHOW_DRAWING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reports/layout/layered_layout.h"
#include "show/model/node_selection.h"
#include "show/model/pair_nodes.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

enum class BoxKind : uint8_t { kNode, kInput, kOutput };

struct DrawnBox {
  BoxKind kind = BoxKind::kNode;
  // To the model before, or if it is the same there, to the one after.
  NodeRelation relation = NodeRelation::kSame;
  int depth = 0;                   // subgraphs around it
  std::string name;                // whole
  std::vector<std::string> lines;  // the first one is the operator
  std::string more;                // further lines for a reader who asks
  std::string scope;               // "encoder/layer.0", or ""
  int before = -1;                 // the partner in the graph before this one
  int after = -1;                  // the one in the graph after it
  int64_t bytes = 0;               // of its results and constants, as far as sizes are known
  double microseconds = 0;         // that it took in a run that was noted
  int number = -1;                 // of an input or output of the model
};

struct DrawnLine {
  int from = 0;
  int to = 0;
  std::string type;  // the value's
};

struct DrawnGraph {
  std::string title;
  std::vector<DrawnBox> boxes;  // in an order in which lines lead on
  std::vector<DrawnLine> lines;
  int64_t left_out = 0;  // nodes that are not drawn
};

struct Drawing {
  std::vector<DrawnGraph> graphs;  // each beside the next
  // For several models: the differences in numbers, and those that are not in nodes.
  std::string summary;
  std::vector<std::string> differences;
  bool paired() const { return graphs.size() > 1; }
};

// Models side by side. `pairs`: of each with the next; `selections`: of each.
Drawing DrawModels(const std::vector<const ShownModel*>& models,
                   const std::vector<std::vector<NodePair>>& pairs,
                   const std::vector<NodeSelection>& selections);

// All graphs in one picture; coordinates of each graph are its own, `offsets` say where it begins.
struct PlacedDrawing {
  std::vector<Layout> layouts;
  std::vector<double> offsets;  // to the right
  std::vector<std::vector<LayoutBox>> boxes;
  double width = 0;
  double height = 0;
};
PlacedDrawing PlaceDrawing(const Drawing& drawing);

inline constexpr double kTitleHeight = 34;

// "=", "≠", "-", "+", and a name for style sheets: "same", "different", "left", "right".
const char* SignOf(NodeRelation relation);
const char* NameOf(NodeRelation relation);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_DRAWING_H_
