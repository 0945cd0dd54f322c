#include "reports/table/table_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "reports/table/table_lines.h"

namespace onnxcmp {
namespace {

constexpr std::array<TableColumn, 2> kNameColumns = {TableColumn::kLeftName,
                                                     TableColumn::kRightName};
constexpr size_t kFewest = 4;  // names that have something in common

bool HasNames(const TableLine& line) {
  return line.kind == TableLine::Kind::kRow || line.kind == TableLine::Kind::kInner;
}

bool IsMostOf(size_t part, size_t whole) { return part >= kFewest && 5 * part >= 3 * whole; }

// All that are shown, each once.
std::set<std::string> NamesInLines(std::vector<TableLine>& lines) {
  std::set<std::string> names;
  for (TableLine& line : lines) {
    if (!HasNames(line)) continue;
    for (const TableColumn column : kNameColumns) {
      if (!line.cell(column).empty()) names.insert(line.cell(column));
    }
  }
  return names;
}

// The end that exporters append to a node's name: "_output_0", ":0".
std::string CommonEnd(const std::set<std::string>& names) {
  std::map<std::string, size_t> counts;
  for (const std::string& name : names) {
    size_t begin = name.rfind("_output_");
    if (begin == std::string::npos) begin = name.rfind(':');
    if (begin != std::string::npos && begin > 0) ++counts[name.substr(begin)];
  }
  for (const auto& [end, count] : counts) {
    if (IsMostOf(count, names.size())) return end;
  }
  return "";
}

// The longest path that most of them begin with. Its parts end with '/', or, where names have none,
// with a point.
std::string CommonBegin(const std::set<std::string>& names) {
  const auto slashes =
      static_cast<size_t>(std::count_if(names.begin(), names.end(), [](const std::string& name) {
        return absl::StrContains(name, "/");
      }));
  const char end_of_part = 2 * slashes >= names.size() ? '/' : '.';
  std::string common;
  while (true) {
    std::map<std::string, size_t> counts;
    for (const std::string& name : names) {
      if (!absl::StartsWith(name, common)) continue;
      const size_t end = name.find(end_of_part, common.size() + (common.empty() ? 1 : 0));
      if (end != std::string::npos && end + 1 < name.size()) ++counts[name.substr(0, end + 1)];
    }
    const auto longer = std::find_if(counts.begin(), counts.end(), [&](const auto& entry) {
      return IsMostOf(entry.second, names.size());
    });
    if (longer == counts.end()) return common;
    common = longer->first;
  }
}

std::string Without(absl::string_view name, absl::string_view begin, absl::string_view end) {
  absl::ConsumePrefix(&name, begin);
  absl::ConsumeSuffix(&name, end);
  return std::string(name);
}

// The first parts of a path, with the '/' after them; "" if it has fewer.
std::string ScopeOf(const std::string& name, int depth) {
  size_t end = 0;
  for (int part = 0; part < depth; ++part) {
    end = name.find('/', end + (part == 0 && !name.empty() && name[0] == '/' ? 1 : 0));
    if (end == std::string::npos) return "";
    ++end;
  }
  return name.substr(0, end);
}

// Scope of a row, by the side that has a name.
std::string RowScope(TableLine& line, int depth) {
  for (const TableColumn column : kNameColumns) {
    if (!line.cell(column).empty()) return ScopeOf(line.cell(column), depth);
  }
  return "";
}

// As deep as leaves several rows to a heading; 0: no headings.
int DepthOfScopes(std::vector<TableLine>& lines) {
  int best = 0;
  for (int depth = 1; depth <= 8; ++depth) {
    int headings = 0;
    int rows = 0;
    std::string current;
    for (TableLine& line : lines) {
      if (!HasNames(line)) continue;
      const std::string scope = RowScope(line, depth);
      ++rows;
      if (scope != current && !scope.empty()) ++headings;
      current = scope;
    }
    if (headings == 0 || headings * kRowsOfHeading > rows) break;
    best = depth;
  }
  return best;
}

void AddScopes(std::vector<TableLine>* lines) {
  // Calls and bodies have headings of their own.
  for (const TableLine& line : *lines) {
    if (line.kind == TableLine::Kind::kHeading) return;
  }
  const int depth = DepthOfScopes(*lines);
  if (depth == 0) return;
  std::vector<TableLine> grouped;
  std::string current;
  for (TableLine& line : *lines) {
    if (HasNames(line)) {
      const std::string scope = RowScope(line, depth);
      if (scope != current) {
        current = scope;
        TableLine& heading = grouped.emplace_back();
        heading.kind = TableLine::Kind::kHeading;
        absl::string_view text = scope;
        absl::ConsumeSuffix(&text, "/");
        heading.text = text.empty() ? "── elsewhere ──" : absl::StrCat("── ", text, " ──");
      }
      for (const TableColumn column : kNameColumns) {
        if (scope.empty() || !absl::StartsWith(line.cell(column), scope)) continue;
        line.cell(column) = line.cell(column).substr(scope.size());
      }
    }
    grouped.push_back(std::move(line));
  }
  *lines = std::move(grouped);
}

}  // namespace

std::string ShortenNames(std::vector<TableLine>* lines) {
  const std::set<std::string> names = NamesInLines(*lines);
  const std::string end = CommonEnd(names);
  const std::string begin = CommonBegin(names);
  std::set<std::string> shortened;
  for (const std::string& name : names) shortened.insert(Without(name, begin, end));
  std::string text;
  if (shortened.size() == names.size() && !shortened.contains("") &&
      (!begin.empty() || !end.empty())) {
    for (TableLine& line : *lines) {
      if (!HasNames(line)) continue;
      for (const TableColumn column : kNameColumns) {
        line.cell(column) = Without(line.cell(column), begin, end);
      }
    }
    text = absl::StrCat("names without ", begin, begin.empty() || end.empty() ? "" : " and ", end);
  }
  AddScopes(lines);
  return text;
}

}  // namespace onnxcmp
