// The layers of a quantized side on one screen.
#ifndef ONNXCMP_COMPARE_REPORTS_TABLE_RENDER_QUANTIZATION_H_
#define ONNXCMP_COMPARE_REPORTS_TABLE_RENDER_QUANTIZATION_H_

#include <string>
#include <vector>

#include "compare/comparison/comparison.h"
#include "compare/quantization/quantization.h"
#include "compare/reports/table/table_options.h"
#include "compare/reports/table/table_style.h"

namespace onnxcmp {

// Of a comparison that was asked for it: a line for each layer, what costs most first, and what is
// wrong with them.
std::string RenderQuantization(const Comparison& comparison, const TableOptions& options,
                               const TableStyle& style);

// What stands in a layer's line, by column; QuantizationColumns() names them.
std::vector<std::string> QuantizationColumns();
std::vector<std::string> QuantizationCells(const Comparison& comparison,
                                           const QuantizedLayer& layer);

// What is said about the whole: which side, how far the outputs are apart, mistakes, notes.
std::vector<std::string> QuantizationText(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_TABLE_RENDER_QUANTIZATION_H_
