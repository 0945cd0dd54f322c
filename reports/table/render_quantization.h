// The layers of a quantized side on one screen.
#ifndef ONNXCMP_REPORTS_TABLE_RENDER_QUANTIZATION_H_
#define ONNXCMP_REPORTS_TABLE_RENDER_QUANTIZATION_H_

#include <string>
#include <vector>

#include "compare/outcome/comparison.h"
#include "compare/quantization/quantization.h"
#include "reports/table/table_options.h"
#include "reports/table/table_style.h"

namespace onnxcmp {

// For a comparison with a quantization report: a line for each layer, most expensive first, with
// its mistake.
std::string RenderQuantization(const Comparison& comparison, const TableOptions& options,
                               const TableStyle& style);

// The cells of a layer's line, by column; QuantizationColumns() names them.
std::vector<std::string> QuantizationColumns();
std::vector<std::string> QuantizationCells(const Comparison& comparison,
                                           const QuantizedLayer& layer);

// Remarks about the whole: the side, the distance of the outputs, mistakes, notes.
std::vector<std::string> QuantizationText(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_RENDER_QUANTIZATION_H_
