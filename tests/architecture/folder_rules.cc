#include "tests/architecture/folder_rules.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

std::string Joined(absl::string_view room, absl::string_view name) {
  return room.empty() ? std::string(name) : absl::StrCat(room, "/", name);
}

std::string FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? "" : path.substr(0, slash));
}

std::string RoomOf(absl::string_view path) { return std::string(path.substr(0, path.find('/'))); }

std::string WithoutMarks(absl::string_view name) {
  name = absl::StripAsciiWhitespace(name);
  absl::ConsumePrefix(&name, "`");
  absl::ConsumeSuffix(&name, "`");
  absl::ConsumeSuffix(&name, "/");
  return std::string(name);
}

std::vector<std::string> CellsOf(absl::string_view line) {
  absl::ConsumePrefix(&line, "|");
  absl::ConsumeSuffix(&line, "|");
  std::vector<std::string> cells;
  for (const absl::string_view cell : absl::StrSplit(line, '|')) {
    cells.emplace_back(absl::StripAsciiWhitespace(cell));
  }
  return cells;
}

std::optional<size_t> ColumnOf(const std::vector<std::string>& cells, absl::string_view name) {
  const auto cell = std::find(cells.begin(), cells.end(), name);
  if (cell == cells.end()) return std::nullopt;
  return static_cast<size_t>(cell - cells.begin());
}

class RulesReader {
 public:
  absl::StatusOr<FolderRules> Read(absl::string_view document) {
    bool in_table = false;
    for (const absl::string_view line : absl::StrSplit(document, '\n')) {
      if (absl::StartsWith(line, "#")) ReadHeading(line);
      if (!absl::StartsWith(line, "|")) {
        in_table = false;
        continue;
      }
      const std::vector<std::string> cells = CellsOf(line);
      if (!in_table) {
        in_table = true;
        folder_ = ColumnOf(cells, "folder");
        may_include_ = ColumnOf(cells, "may include");
        above_.clear();
        continue;
      }
      if (!folder_.has_value() || !may_include_.has_value() || absl::StartsWith(line, "| ---")) {
        continue;
      }
      if (cells.size() <= std::max(*folder_, *may_include_)) {
        return absl::InvalidArgumentError(absl::StrCat("too few cells: ", line));
      }
      OC_RETURN_IF_ERROR(ReadRow(cells[*folder_], cells[*may_include_]));
    }
    return std::move(rules_);
  }

 private:
  void ReadHeading(absl::string_view line) {
    line = absl::StripAsciiWhitespace(line.substr(line.find_first_not_of('#')));
    room_ = absl::StartsWith(line, "`") && absl::EndsWith(line, "/`") ? WithoutMarks(line) : "";
  }

  absl::Status ReadRow(absl::string_view folders, absl::string_view may_include) {
    std::set<std::string> allowed;
    if (!may_include.empty()) {
      for (const absl::string_view name : absl::StrSplit(may_include, ',')) {
        const std::vector<std::string> named = Above(name);
        if (named.empty()) {
          return absl::InvalidArgumentError(
              absl::StrCat(folders, " may include '", absl::StripAsciiWhitespace(name),
                           "', which is no folder above it in its table"));
        }
        allowed.insert(named.begin(), named.end());
      }
    }
    std::vector<std::string> rows;
    for (const absl::string_view name : absl::StrSplit(folders, ',')) {
      rows.push_back(PathOf(name));
      auto& table = room_.empty() ? rules_.rooms : rules_.folders;
      if (!table.emplace(rows.back(), allowed).second) {
        return absl::InvalidArgumentError(absl::StrCat("two rows are of ", rows.back()));
      }
    }
    above_.insert(above_.end(), rows.begin(), rows.end());
    return absl::OkStatus();
  }

  // The path of a folder as a table of the room calls it.
  std::string PathOf(absl::string_view name) const {
    name = absl::StripAsciiWhitespace(name);
    const bool itself = absl::ConsumeSuffix(&name, " itself");
    return itself ? WithoutMarks(name) : Joined(room_, WithoutMarks(name));
  }

  // Rows of this table that a name stands for.
  std::vector<std::string> Above(absl::string_view name) const {
    if (absl::StripAsciiWhitespace(name) == "all above") return above_;
    const std::string folder = PathOf(name);
    std::vector<std::string> found;
    for (const std::string& row : above_) {
      if (row == folder) return {row};
      if (absl::StartsWith(row, absl::StrCat(folder, "/"))) found.push_back(row);
      if (room_.empty() && absl::StartsWith(folder, absl::StrCat(row, "/"))) return {folder};
    }
    return found;
  }

  FolderRules rules_;
  std::string room_;
  std::optional<size_t> folder_, may_include_;  // columns
  std::vector<std::string> above_;              // rows of this table
};

struct Include {
  std::string file;
  size_t line = 0;
  std::string included;

  std::string Place() const { return absl::StrCat(file, ":", line); }
};

// The includes of files among these; generated files are not among them.
std::vector<Include> IncludesOf(const SourceFiles& files) {
  std::vector<Include> includes;
  for (const auto& [path, text] : files) {
    size_t number = 0;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ++number;
      if (!absl::ConsumePrefix(&line, "#include \"")) continue;
      std::string included(line.substr(0, line.find('"')));
      if (files.contains(included)) includes.push_back({path, number, std::move(included)});
    }
  }
  return includes;
}

// Folders that include each other, found by Tarjan's algorithm.
class CircleFinder {
 public:
  using Edges = std::map<std::string, std::map<std::string, Include>>;  // the first of each pair

  explicit CircleFinder(const Edges& edges) : edges_(edges) {}

  std::vector<std::set<std::string>> Find() {
    for (const auto& [folder, included] : edges_) {
      if (!number_.contains(folder)) Visit(folder);
    }
    return std::move(circles_);
  }

 private:
  void Visit(const std::string& folder) {
    const size_t number = number_.size();
    size_t& low = low_[folder] = number_[folder] = number;
    stack_.push_back(folder);
    if (const auto included = edges_.find(folder); included != edges_.end()) {
      for (const auto& [next, include] : included->second) {
        if (!number_.contains(next)) {
          Visit(next);
          low = std::min(low, low_[next]);
        } else if (std::find(stack_.begin(), stack_.end(), next) != stack_.end()) {
          low = std::min(low, number_[next]);
        }
      }
    }
    if (low != number) return;
    const auto first = std::find(stack_.begin(), stack_.end(), folder);
    if (stack_.end() - first > 1) circles_.emplace_back(first, stack_.end());
    stack_.erase(first, stack_.end());
  }

  const Edges& edges_;
  std::map<std::string, size_t> number_, low_;
  std::vector<std::string> stack_;
  std::vector<std::set<std::string>> circles_;
};

// Takes a line that opens or closes namespaces, as the formatter writes them. One without a name is
// "".
bool ReadNamespace(absl::string_view line, std::vector<std::string>* open) {
  if (absl::ConsumePrefix(&line, "namespace ")) {
    if (absl::StrContains(line, '=')) return false;
    open->emplace_back(absl::StripAsciiWhitespace(line.substr(0, line.find('{'))));
    return true;
  }
  if (!absl::StartsWith(line, "}  // namespace")) return false;
  if (!open->empty()) open->pop_back();
  return true;
}

// The name of the class or enumeration that begins in this line outside of others; "" if none does.
std::string TypeDefined(absl::string_view line) {
  if (absl::StrContains(line, ';') && !absl::StrContains(line, '{')) return "";
  bool is_type = false;
  for (const absl::string_view word : {"enum ", "class ", "struct ", "union "}) {
    is_type |= absl::ConsumePrefix(&line, word);
  }
  if (!is_type) return "";
  const absl::string_view rest = " :{";  // not "::", which is a member, or "<", a specialization
  const size_t end = line.find_first_of(" :{<;");
  if (end == absl::string_view::npos || !absl::StrContains(rest, line[end]) ||
      absl::StartsWith(line.substr(end), "::")) {
    return "";
  }
  return std::string(line.substr(0, end));
}

}  // namespace

absl::StatusOr<FolderRules> ReadFolderRules(absl::string_view document) {
  return RulesReader().Read(document);
}

std::vector<std::string> ForbiddenIncludes(const FolderRules& rules, const SourceFiles& files) {
  std::set<std::string> with_table;  // rooms
  for (const auto& [folder, allowed] : rules.folders) with_table.insert(RoomOf(folder));
  std::set<std::string> folders, rooms;  // of the files
  for (const auto& [path, text] : files) {
    folders.insert(FolderOf(path));
    rooms.insert(RoomOf(path));
  }
  std::vector<std::string> lines;
  for (const std::string& folder : folders) {
    if (!rules.rooms.contains(RoomOf(folder)) ||
        (with_table.contains(RoomOf(folder)) && !rules.folders.contains(folder))) {
      lines.push_back(absl::StrCat(folder, "/ is in no table"));
    }
  }
  for (const auto& [folder, allowed] : rules.folders) {
    if (rooms.contains(RoomOf(folder)) && !folders.contains(folder)) {
      lines.push_back(absl::StrCat(folder, "/ is in a table and has no files"));
    }
  }
  const auto allows = [](const std::map<std::string, std::set<std::string>>& table,
                         const std::string& from, const std::string& to) {
    const auto row = table.find(from);
    return row != table.end() && row->second.contains(to);
  };
  for (const Include& include : IncludesOf(files)) {
    const std::string from = FolderOf(include.file), to = FolderOf(include.included);
    const std::string from_room = RoomOf(from), to_room = RoomOf(to);
    if (from == to || !rules.rooms.contains(to_room)) continue;
    const bool allowed =
        from_room == to_room
            ? !with_table.contains(from_room) || allows(rules.folders, from, to)
            : allows(rules.rooms, from_room, to_room) || allows(rules.rooms, from_room, to);
    if (allowed) continue;
    lines.push_back(absl::StrCat(include.Place(), ": ", from, "/ may not include ", to, "/ (",
                                 include.included, ")"));
  }
  return lines;
}

std::vector<std::string> FolderCircles(const SourceFiles& files) {
  CircleFinder::Edges edges;
  for (const Include& include : IncludesOf(files)) {
    const std::string from = FolderOf(include.file), to = FolderOf(include.included);
    if (from != to) edges[from].emplace(to, include);
  }
  std::vector<std::string> lines;
  for (const std::set<std::string>& circle : CircleFinder(edges).Find()) {
    std::string line = "folders include each other:";
    for (const std::string& from : circle) {
      for (const auto& [to, include] : edges[from]) {
        if (!circle.contains(to)) continue;
        absl::StrAppend(&line, "\n  ", include.Place(), " includes ", include.included);
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> LargeFolders(const SourceFiles& files, size_t most) {
  std::map<std::string, std::set<std::string>> units;
  for (const auto& [path, text] : files) {
    units[FolderOf(path)].insert(path.substr(0, path.find('.', path.rfind('/') + 1)));
  }
  std::vector<std::string> lines;
  for (const auto& [folder, names] : units) {
    if (names.size() > most) {
      lines.push_back(absl::StrCat(folder, "/ has ", names.size(), " units"));
    }
  }
  return lines;
}

std::vector<std::string> TypesDefinedTwice(const SourceFiles& files) {
  std::map<std::string, std::string> first;  // the file by the type
  std::vector<std::string> lines;
  for (const auto& [path, text] : files) {
    std::vector<std::string> namespaces;
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      if (ReadNamespace(line, &namespaces)) continue;
      const std::string type = TypeDefined(line);
      if (type.empty() || absl::c_linear_search(namespaces, "")) continue;
      const std::string name = absl::StrCat(absl::StrJoin(namespaces, "::"), "::", type);
      const auto [found, is_first] = first.emplace(name, path);
      if (!is_first && found->second != path) {  // one file may have it under two conditions
        lines.push_back(absl::StrCat(name, " is in ", found->second, " and in ", path));
      }
    }
  }
  return lines;
}

std::vector<std::string> CommentsThatAsk(const SourceFiles& files) {
  std::vector<std::string> found;
  for (const auto& [path, text] : files) {
    bool continues = false;  // a comment on the line above
    int number = 0;
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      ++number;
      const bool alone = absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "//");
      const size_t at = alone ? line.find("//") : line.find("  // ");
      const bool begins = at != absl::string_view::npos && !(alone && continues);
      continues = at != absl::string_view::npos;
      if (!begins) continue;
      const absl::string_view comment = line.substr(line.find("//") + 2);
      for (const absl::string_view word : {" what ", " whether ", " which "}) {
        if (!absl::StartsWithIgnoreCase(comment, word)) continue;
        found.push_back(absl::StrCat(path, ":", number, ":", comment));
      }
    }
  }
  return found;
}

}  // namespace onnxcmp
