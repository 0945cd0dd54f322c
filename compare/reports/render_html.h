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
  std::string command;             // the command line; "": not shown
  std::string set_name;            // name of the set, if there are several
  int64_t set = 0;                 // its number
  std::vector<std::string> sets;   // the pages of all sets, for links
  size_t most_bytes = 10'000'000;  // details are left out beyond that
};

// A single file that loads nothing and forbids browsers to load anything: the report as JSON in
// <script type="application/json" id="onnxcmp">, and a script that shows it. docs/formats.md
// describes what programs may rely on.
std::string RenderHtml(const Comparison& comparison, const HtmlOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_RENDER_HTML_H_
