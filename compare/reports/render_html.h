// A comparison as a page for a browser.
#ifndef ONNXCMP_COMPARE_REPORTS_RENDER_HTML_H_
#define ONNXCMP_COMPARE_REPORTS_RENDER_HTML_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/comparison/comparison.h"

namespace onnxcmp {

struct HtmlOptions {
  std::string command;             // the command line; "": none is shown
  std::string set_name;            // of several sets of inputs: which one
  int64_t set = 0;                 // its number
  std::vector<std::string> sets;   // the pages of all sets, as this one may link to them
  size_t most_bytes = 10'000'000;  // details are left out beyond that
};

// One file that loads nothing and that no browser lets load anything: the report as JSON in
// <script type="application/json" id="onnxcmp">, and a script that shows it.
// docs/formats.md describes what programs may rely on.
std::string RenderHtml(const Comparison& comparison, const HtmlOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_RENDER_HTML_H_
