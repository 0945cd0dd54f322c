// Two listings of layers side by side, as text and as JSON.
#ifndef ONNXCMP_REPORTS_TABLE_RENDER_LAYERS_H_
#define ONNXCMP_REPORTS_TABLE_RENDER_LAYERS_H_

#include <string>

#include "reports/table/table_options.h"
#include "tools/layers/compare_layers.h"

namespace onnxcmp {

// A line for each group of layers; equal groups are folded to a line that counts them, unless all
// rows are requested.
std::string RenderLayers(const LayerComparison& comparison, const TableOptions& options = {});

// docs/layers.md describes it.
std::string LayersJson(const LayerComparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_RENDER_LAYERS_H_
