// Two listings of layers side by side, as text and as JSON.
#ifndef ONNXCMP_COMPARE_REPORTS_TABLE_RENDER_LAYERS_H_
#define ONNXCMP_COMPARE_REPORTS_TABLE_RENDER_LAYERS_H_

#include <string>

#include "compare/layers/compare_layers.h"
#include "compare/reports/table/table_options.h"

namespace onnxcmp {

// A line for each group of layers; those that are the same are folded to a line that counts them,
// unless all rows are wanted.
std::string RenderLayers(const LayerComparison& comparison, const TableOptions& options = {});

// docs/layers.md tells what is in it.
std::string LayersJson(const LayerComparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_TABLE_RENDER_LAYERS_H_
