// Two models side by side, as their structure pairs them.
#ifndef ONNXCMP_SHOW_RENDER_PAIR_TEXT_H_
#define ONNXCMP_SHOW_RENDER_PAIR_TEXT_H_

#include <string>
#include <vector>

#include "reports/table/table_options.h"
#include "show/model/node_selection.h"
#include "show/model/pair_nodes.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

// A line a pair; pairs that are the same are folded to a line that counts them, unless all rows are
// wanted.
std::string RenderPairText(const ShownModel& left, const ShownModel& right,
                           const std::vector<NodePair>& pairs, const NodeSelection& left_selection,
                           const NodeSelection& right_selection, const TableOptions& look);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_RENDER_PAIR_TEXT_H_
