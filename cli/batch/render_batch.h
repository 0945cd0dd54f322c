// Reports on a batch: a page, Markdown, JUnit.
#ifndef ONNXCMP_CLI_BATCH_RENDER_BATCH_H_
#define ONNXCMP_CLI_BATCH_RENDER_BATCH_H_

#include <string>
#include <vector>

#include "cli/batch/batch_summary.h"
#include "cli/batch/pair_result.h"

namespace onnxcmp::cli {

// "1997 of 2000 pairs as expected: 1990 same, 7 close, 3 different".
std::string BatchHeadline(const BatchSummary& summary);

// For a comment on a change: at most 60,000 bytes.
std::string RenderBatchMarkdown(const std::vector<PairResult>& results,
                                const BatchSummary& summary);

// A test for each pair, which fails if it is not as expected and is in error if it was not
// compared.
std::string RenderBatchJunit(const std::vector<PairResult>& results, const BatchSummary& summary);

// A page that loads nothing and runs nothing, with links to the pages of pairs.
std::string RenderBatchPage(const std::vector<PairResult>& results, const BatchSummary& summary);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_RENDER_BATCH_H_
