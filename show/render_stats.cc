#include "show/render_stats.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_style.h"

namespace onnxcmp {
namespace {

// "1.24 G".
std::string ShortCount(double number) {
  constexpr std::array<const char*, 6> kUnits = {"", " k", " M", " G", " T", " P"};
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < kUnits.size()) {
    number /= 1000;
    ++unit;
  }
  if (unit == 0) return absl::StrFormat("%.0f", number);
  return absl::StrFormat("%.*f%s",
                         number >= 99.95   ? 0
                         : number >= 9.995 ? 1
                                           : 2,
                         number, kUnits[unit]);
}

using Row = std::vector<std::string>;

// Columns under their headings, the first to the left.
std::string Columns(const std::vector<Row>& rows, const TableStyle& style) {
  std::vector<int> widths(rows[0].size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line = PadRight(rows[r][0], widths[0]);
    for (size_t i = 1; i < rows[r].size(); ++i) {
      absl::StrAppend(&line, "  ", PadLeft(rows[r][i], widths[i]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, "  ", r == 0 ? style.Paint(line, Color::kDim) : line, "\n");
  }
  return text;
}

std::string OrNothing(int64_t number) {
  return number == 0 ? "" : ShortCount(static_cast<double>(number));
}

}  // namespace

std::string RenderStats(const ShownModel& model, const ModelStats& stats,
                        const TableOptions& look) {
  const TableStyle style(look);
  const auto title = [&](const std::string& text) {
    return absl::StrCat("\n", style.Paint(text, Color::kBold), "\n");
  };
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : model.imports) {
    opsets.push_back(absl::StrCat(domain.empty() ? "ai.onnx" : domain, " ", version));
  }
  std::string text = absl::StrCat(
      PrintableText(model.path), ": ", Count(stats.nodes, "node"), ", ",
      ShortCount(static_cast<double>(stats.parameters)), " parameters, ", BytesText(stats.bytes),
      ", IR version ", model.ir_version, ", opset ", absl::StrJoin(opsets, ", "),
      model.producer.empty() ? "" : ", by " + PrintableText(model.producer), "\n");
  for (const auto& [name, places] : model.free_dimensions) {
    absl::StrAppend(&text, "free dimension ", PrintableText(name), ": ",
                    PrintableText(absl::StrJoin(places, ", ")), "\n");
  }
  absl::StrAppend(&text, "additions and multiplications: ", ShortCount(stats.operations),
                  stats.not_counted == 0
                      ? ""
                      : absl::StrCat(", without those of ", Count(stats.not_counted, "node"),
                                     " of unknown shapes (--dim NAME=N, or --run)"),
                  "\n");
  const bool operations = stats.operations > 0;
  std::vector<Row> rows = {{"operator", "nodes", "parameters", "bytes"}};
  if (operations) rows[0].emplace_back("operations");
  for (const ModelStats::Operator& op : stats.operators) {
    rows.push_back({PrintableText(op.op), absl::StrCat(op.nodes), OrNothing(op.parameters),
                    op.bytes == 0 ? "" : BytesText(op.bytes)});
    if (operations) {
      rows.back().push_back(absl::StrCat(op.operations > 0 ? ShortCount(op.operations) : "",
                                         op.not_counted > 0 ? " ?" : ""));
    }
  }
  absl::StrAppend(&text, title("by operator"), Columns(rows, style));
  if (!stats.types.empty()) {
    rows = {{"type", "constants", "parameters", "bytes"}};
    for (const ModelStats::Type& type : stats.types) {
      rows.push_back({ShortDType(type.dtype), absl::StrCat(type.constants),
                      OrNothing(type.parameters), BytesText(type.bytes)});
    }
    absl::StrAppend(&text, title("by type"), Columns(rows, style));
    if (stats.unread > 0) {
      absl::StrAppend(&text, "  ", Count(stats.unread, "constant"), " that nothing reads\n");
    }
  }
  if (!stats.scopes.empty()) {
    rows = {{"scope", "nodes", "parameters", "bytes"}};
    if (operations) rows[0].emplace_back("operations");
    for (const ModelStats::Scope& scope : stats.scopes) {
      rows.push_back({scope.name.empty() ? "(none)" : PrintableText(scope.name),
                      absl::StrCat(scope.nodes), OrNothing(scope.parameters),
                      scope.bytes == 0 ? "" : BytesText(scope.bytes)});
      if (operations) {
        rows.back().push_back(scope.operations > 0 ? ShortCount(scope.operations) : "");
      }
    }
    absl::StrAppend(&text, title("by scope"), Columns(rows, style));
  }
  for (const std::string& note : model.notes)
    absl::StrAppend(&text, "note: ", PrintableText(note), "\n");
  return style.Text(text);
}

}  // namespace onnxcmp
