// A comparison as Markdown, for a comment on a change.
#ifndef ONNXCMP_REPORTS_RENDER_MARKDOWN_H_
#define ONNXCMP_REPORTS_RENDER_MARKDOWN_H_

#include <cstddef>
#include <string>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

struct FixReport;

struct MarkdownOptions {
  // Limit of rows in the table; the others are counted.
  size_t max_rows = 200;
  // Limit of the whole text: GitHub allows 65536 characters per comment.
  size_t max_bytes = 60'000;
  const FixReport* fix = nullptr;  // one of the models mended; null: no section
};

// The verdict and the causes; in collapsible sections outputs, models, and a table of the rows
// whose bits differ, in GitHub's dialect. Parts without room are counted.
std::string RenderMarkdown(const Comparison& comparison, const MarkdownOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_MARKDOWN_H_
