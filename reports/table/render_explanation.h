// One pair in depth on one screen.
#ifndef ONNXCMP_REPORTS_TABLE_RENDER_EXPLANATION_H_
#define ONNXCMP_REPORTS_TABLE_RENDER_EXPLANATION_H_

#include <string>

#include "compare/outcome/comparison.h"
#include "reports/table/table_options.h"
#include "reports/table/table_style.h"

namespace onnxcmp {

// For a comparison with an explanation.
std::string RenderExplanation(const Comparison& comparison, const TableOptions& options,
                              const TableStyle& style);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_RENDER_EXPLANATION_H_
