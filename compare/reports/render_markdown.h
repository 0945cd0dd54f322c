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
  // Of the whole: GitHub takes 65536 characters a comment.
  size_t max_bytes = 60'000;
};

// The verdict and the causes; behind lines that open them outputs, models, a table of the rows that
// are not the same bits, in GitHub's dialect. What there is no room for is counted.
std::string RenderMarkdown(const Comparison& comparison, const MarkdownOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_RENDER_MARKDOWN_H_
