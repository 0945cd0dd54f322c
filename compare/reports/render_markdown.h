// A comparison as Markdown, for a comment on a change.
#ifndef ONNXCMP_COMPARE_REPORTS_RENDER_MARKDOWN_H_
#define ONNXCMP_COMPARE_REPORTS_RENDER_MARKDOWN_H_

#include <cstddef>
#include <string>

#include "compare/comparison/comparison.h"

namespace onnxcmp {

struct MarkdownOptions {
  // Rows of the table; what is left out is counted.
  size_t max_rows = 200;
};

// The verdict, the models, the outputs, the causes, and a table of the rows that are not the same
// bits, as GitHub's dialect has tables.
std::string RenderMarkdown(const Comparison& comparison, const MarkdownOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_RENDER_MARKDOWN_H_
