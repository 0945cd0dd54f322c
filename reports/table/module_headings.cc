#include "reports/table/module_headings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"
#include "record/text/display_text.h"
#include "reports/table/table_lines.h"

namespace onnxcmp {
namespace {

bool IsGrouped(const TableLine& line) {
  return line.kind == TableLine::Kind::kRow || line.kind == TableLine::Kind::kInner;
}

// The node that made a row's result.
const StreamNode* NodeOf(const Comparison& comparison, size_t row, SideId side) {
  const auto& results = OfSide(comparison.rows[row].aligned, side);
  const ResultStream& stream = OfSide(comparison, side);
  const int node = results.empty() ? kNone : stream.results[Index(results.back())].node;
  return node == kNone ? nullptr : &stream.nodes[Index(node)];
}

// As the exporter of one side noted.
std::string ModuleOf(const Comparison& comparison, size_t row) {
  for (const SideId side : kBothSides) {
    const StreamNode* node = NodeOf(comparison, row, side);
    if (node != nullptr && node->module.has_value()) return *node->module;
  }
  return "";
}

std::string SourceLineOf(const Comparison& comparison, size_t row) {
  for (const SideId side : kBothSides) {
    const StreamNode* node = NodeOf(comparison, row, side);
    if (node != nullptr && !node->source_line.empty()) return node->source_line;
  }
  return "";
}

// The first parts of "encoder.layer.0", or all if there are no more.
absl::string_view FirstParts(absl::string_view module, int depth) {
  size_t end = 0;
  for (int part = 0; part < depth; ++part) {
    end = module.find('.', end + (part > 0 ? 1 : 0));
    if (end == absl::string_view::npos) return module;
  }
  return module.substr(0, end);
}

// True if these groups, by line, are several rows each.
bool Pays(const std::vector<TableLine>& lines, const std::vector<absl::string_view>& groups) {
  int headings = 0;
  int rows = 0;
  absl::string_view current;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!IsGrouped(lines[i])) continue;
    ++rows;
    if (groups[i] != current) ++headings;
    current = groups[i];
  }
  return headings > 0 && headings * kRowsOfHeading <= rows;
}

// By line, as deep as pays; empty if nothing does.
std::vector<absl::string_view> GroupsOfModules(const std::vector<TableLine>& lines,
                                               const std::vector<std::string>& modules) {
  constexpr int kMaxDepth = 8;
  std::vector<absl::string_view> best;
  for (int depth = 1; depth <= kMaxDepth; ++depth) {
    std::vector<absl::string_view> groups;
    for (const std::string& module : modules) groups.push_back(FirstParts(module, depth));
    if (!Pays(lines, groups)) break;
    best = std::move(groups);
  }
  return best;
}

// "net.py:23–25" of lines of one file, "" of several files or none.
std::string LinesText(absl::Span<const std::string> sources) {
  absl::string_view file;
  int64_t least = 0;
  int64_t greatest = 0;
  for (const absl::string_view source : sources) {
    const size_t colon = source.rfind(':');
    int64_t number = 0;
    if (source.empty()) continue;
    if (colon == absl::string_view::npos || !absl::SimpleAtoi(source.substr(colon + 1), &number)) {
      return "";
    }
    if (!file.empty() && source.substr(0, colon) != file) return "";
    least = file.empty() ? number : std::min(least, number);
    greatest = file.empty() ? number : std::max(greatest, number);
    file = source.substr(0, colon);
  }
  if (file.empty()) return "";
  return absl::StrCat(file, ":", least, least == greatest ? "" : absl::StrCat("–", greatest));
}

}  // namespace

void AddModuleHeadings(const Comparison& comparison, std::vector<TableLine>* lines) {
  std::vector<std::string> modules(lines->size());
  std::vector<std::string> sources(lines->size());
  std::string module;
  std::string source;
  // Results that a fusion took in stand above its row.
  for (size_t i = lines->size(); i-- > 0;) {
    const TableLine& line = (*lines)[i];
    if (line.kind == TableLine::Kind::kHeading) return;
    if (line.kind == TableLine::Kind::kRow) {
      module = ModuleOf(comparison, static_cast<size_t>(line.number));
      source = SourceLineOf(comparison, static_cast<size_t>(line.number));
    }
    if (!IsGrouped(line)) continue;
    modules[i] = module;
    sources[i] = source;
  }
  std::vector<absl::string_view> groups = GroupsOfModules(*lines, modules);
  const bool by_module = !groups.empty();
  if (!by_module) {
    groups.assign(sources.begin(), sources.end());
    if (!Pays(*lines, groups)) return;
  }
  std::vector<TableLine> grouped;
  absl::string_view current;
  for (size_t i = 0; i < lines->size(); ++i) {
    if (IsGrouped((*lines)[i]) && groups[i] != current) {
      current = groups[i];
      size_t end = i;
      while (end < lines->size() && (!IsGrouped((*lines)[end]) || groups[end] == current)) ++end;
      const std::string places =
          by_module ? LinesText(absl::MakeConstSpan(sources).subspan(i, end - i)) : "";
      TableLine& heading = grouped.emplace_back();
      heading.kind = TableLine::Kind::kHeading;
      heading.text = absl::StrCat("── ", current.empty() ? "elsewhere" : PrintableText(current),
                                  places.empty() ? "" : "  ", PrintableText(places), " ──");
    }
    grouped.push_back(std::move((*lines)[i]));
  }
  *lines = std::move(grouped);
}

}  // namespace onnxcmp
