// A chain of models in reports: a line, a test or an entry for each step.
#ifndef ONNXCMP_REPORTS_RENDER_CHAIN_H_
#define ONNXCMP_REPORTS_RENDER_CHAIN_H_

#include <string>
#include <vector>

#include "compare/outcome/chain.h"
#include "compare/outcome/comparison.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

struct FixReport;  // tools/fix/fix_report.h

// Adds the comparison of one more set. True if it is the worst so far.
bool AddSet(const std::string& set, const Comparison& comparison, ChainStep* step);

// A line for each step and one for the ends, what each changed and its first cause, and the
// outcome. `detail`: the comparison of the step that fails, before the outcome.
std::string RenderChain(const Chain& chain, const std::string& detail = "",
                        const TableOptions& options = {});
// A line for each cause of a step: its kind, the two results, what it is.
std::vector<std::string> CauseLines(const Comparison& comparison);
// The text about outputs, without the verdict before it.
std::string WithoutVerdict(const std::string& text);
// The same; docs/formats.md tells of its fields. `command`: the command line; "": none is told.
// `fix`: a model of the step that fails, mended; null: --fix was not given.
std::string RenderChainJson(const Chain& chain, const std::string& command = "",
                            const FixReport* fix = nullptr);
// A test for each step and one for the ends.
std::string RenderChainJunit(const Chain& chain);
// A table of the steps, the causes of the one that broke the chain, and its model mended.
std::string RenderChainMarkdown(const Chain& chain, const FixReport* fix = nullptr);
// "2: a.onnx → b.onnx", by the files' names if all are different.
std::string StepName(const Chain& chain, const ChainStep& step);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_CHAIN_H_
