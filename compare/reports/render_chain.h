// A chain of models, such as the passes of an optimizer leave them, each compared with the next:
// finds the step that broke it.
#ifndef ONNXCMP_COMPARE_REPORTS_RENDER_CHAIN_H_
#define ONNXCMP_COMPARE_REPORTS_RENDER_CHAIN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison/comparison.h"
#include "compare/comparison/exit_status.h"
#include "compare/reports/render_table.h"
#include "compare/reports/table/table_options.h"

namespace onnxcmp {

// Two models of the chain.
struct ChainStep {
  size_t left = 0;  // from 0
  size_t right = 0;
  int sets = 0;                     // number of sets of inputs
  SetSummary worst;                 // the first of the worst; its name is that of the set
  std::string changes;              // the step's changes of the model on that set, in words
  std::vector<std::string> causes;  // the causes of that set, a line each, mistakes first
};

struct Chain {
  std::vector<std::string> models;  // as they were named
  std::vector<ChainStep> steps;     // model i beside model i + 1
  std::optional<ChainStep> ends;    // the first model beside the last, if there are more than two
  // Optimizers of a runtime without which the first failing step passes, as few as were found.
  std::vector<std::string> optimizers;
};

// Adds the comparison of one more set. Whether it is the worst so far.
bool AddSet(const std::string& set, const Comparison& comparison, ChainStep* step);

// The number of the first step that fails; nothing if none does.
std::optional<size_t> FirstFailing(const Chain& chain);
// The worst status of all steps and of the ends.
int ExitStatusOf(const Chain& chain);
Verdict VerdictOf(const Chain& chain);

// A line for each step and one for the ends, and the outcome.
std::string RenderChain(const Chain& chain, const TableOptions& options = {});
// The same; docs/formats.md tells of its fields.
// `command`: the command line; "": none is told.
std::string RenderChainJson(const Chain& chain, const std::string& command = "");
// "2: a.onnx → b.onnx", by the files' names if all are different.
std::string StepName(const Chain& chain, const ChainStep& step);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_RENDER_CHAIN_H_
