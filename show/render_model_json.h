// Models as JSON; docs/show.md says what is in it.
#ifndef ONNXCMP_SHOW_RENDER_MODEL_JSON_H_
#define ONNXCMP_SHOW_RENDER_MODEL_JSON_H_

#include <string>
#include <vector>

#include "show/model/model_stats.h"
#include "show/model/node_selection.h"
#include "show/model/pair_nodes.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

// Nodes that are not selected are left out, and keep their numbers.
std::string ModelJson(const ShownModel& model, const NodeSelection& selection);
std::string StatsJson(const ShownModel& model, const ModelStats& stats);
std::string PairJson(const ShownModel& left, const ShownModel& right,
                     const std::vector<NodePair>& pairs);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_RENDER_MODEL_JSON_H_
