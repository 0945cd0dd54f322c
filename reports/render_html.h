// A comparison as a page for a browser.
#ifndef ONNXCMP_REPORTS_RENDER_HTML_H_
#define ONNXCMP_REPORTS_RENDER_HTML_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/outcome/chain.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "reports/render_chain.h"
#include "reports/render_table.h"

namespace onnxcmp {

struct HtmlOptions {
  std::string command;             // the command line; "": not shown
  std::string set_name;            // name of the set, if there are several
  int64_t set = 0;                 // its number
  std::vector<std::string> sets;   // the pages of all sets, for links
  size_t most_bytes = 10'000'000;  // details are left out beyond that
  size_t parts = 1;                // as many reports share one file
  // Where its file is, for links to others; nothing if that is not known.
  std::optional<std::string> folder;
  std::string generation;  // JSON of the steps of which this is one (docs/generate.md); "": none
};

// A single file that loads nothing and forbids browsers to load anything: the report as JSON in
// <script type="application/json" id="onnxcmp">, and a script that shows it. docs/formats.md
// describes what programs may rely on.
std::string RenderHtml(const Comparison& comparison, const HtmlOptions& options = {});

// The report alone, as it stands in that element.
std::string PageData(const Comparison& comparison, const HtmlOptions& options);

// Several sets of inputs, or the steps of a chain and its two ends, in one file. `reports`: theirs,
// as PageData gives them. docs/formats.md tells which elements hold what.
std::string RenderSetsHtml(const std::vector<SetSummary>& sets,
                           const std::vector<std::string>& reports, const std::string& command);
// `graphs`: all models side by side as JSON, or "".
std::string RenderChainHtml(const Chain& chain, const std::vector<std::string>& reports,
                            const std::string& command, std::string graphs = "");

// Graphs alone. `plain`: markup for browsers without scripts.
std::string GraphsHtml(const std::string& title, const std::string& plain, std::string graphs);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_HTML_H_
