#include "reports/table/render_fix.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "record/text/display_text.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {

std::string RenderFix(const FixReport& report, const TableOptions& options) {
  const TableStyle style(options);
  std::string text;
  absl::string_view label = "fix";
  for (const std::string& line : FixLines(report)) {
    text +=
        LabelledLines(std::exchange(label, ""), Color::kPlain, PrintableText(line), options, style);
  }
  return text;
}

}  // namespace onnxcmp
