// A model's numbers for people.
#ifndef ONNXCMP_SHOW_RENDER_STATS_H_
#define ONNXCMP_SHOW_RENDER_STATS_H_

#include <string>

#include "reports/table/table_options.h"
#include "show/model/model_stats.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

std::string RenderStats(const ShownModel& model, const ModelStats& stats, const TableOptions& look);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_RENDER_STATS_H_
