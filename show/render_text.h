// A model as text: a node a line.
#ifndef ONNXCMP_SHOW_RENDER_TEXT_H_
#define ONNXCMP_SHOW_RENDER_TEXT_H_

#include <string>

#include "reports/table/table_options.h"
#include "show/model/node_selection.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

// Lists of inputs, outputs and constants are folded beyond some lines, unless all rows are wanted.
// Lines that are longer than the width go on below, indented, unless the look is wide.
std::string RenderModelText(const ShownModel& model, const NodeSelection& selection,
                            const TableOptions& look);

// The line of a node: "Conv(x, W:f32[8,3,3,3], strides=[2,2]) -> y".
std::string NodeCall(const ShownGraph& graph, const ShownNode& node);
// The types of its outputs: "f32[1,8,30,30]"; "" if none is known.
std::string OutputTypes(const ShownGraph& graph, const ShownNode& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_RENDER_TEXT_H_
