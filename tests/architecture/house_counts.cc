#include "tests/architecture/house_counts.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/architecture/hidden_functions.h"

namespace onnxcmp {
namespace {

using Code = std::map<std::string, std::string>;  // by path

// compare/ and what came out of it.
constexpr absl::string_view kOfCompare[] = {"compare", "feed",    "prove",
                                            "record",  "reports", "tools"};
constexpr absl::string_view kJudges[] = {"cli", "python", "testing"};  // may have verdicts, too

std::string TopOf(absl::string_view path) { return std::string(path.substr(0, path.find('/'))); }

bool IsOfCompare(absl::string_view path) { return absl::c_linear_search(kOfCompare, TopOf(path)); }

// "compare/causes" of compare/causes/forced/forced_run.h, "cli" of cli/batch/pair_files.cc.
std::string PartOf(absl::string_view path) {
  const std::string top = TopOf(path);
  const std::vector<absl::string_view> names = absl::StrSplit(path, '/');
  return top != "compare" || names.size() < 3 ? top : absl::StrCat(top, "/", names[1]);
}

std::string FolderOf(absl::string_view path) {
  return std::string(path.substr(0, path.rfind('/')));
}

// Reads past comments and literals.
class CodeReader {
 public:
  explicit CodeReader(absl::string_view text) : text_(text) {}

  std::string Read() {
    while (!text_.empty()) {
      if (absl::StartsWith(text_, "//")) {
        Skip(text_.find('\n'));
      } else if (absl::StartsWith(text_, "/*")) {
        SkipBehind("*/");
      } else if (absl::StartsWith(text_, "R\"") && !IsInWord()) {
        SkipBehind(absl::StrCat(")", text_.substr(2, text_.find('(') - 2), "\""));
        code_ += "\"\"";
      } else if (text_[0] == '"' || (text_[0] == '\'' && !IsInWord())) {
        SkipLiteral();
      } else {
        Take();
      }
    }
    return std::move(code_);
  }

 private:
  // In a name or a number: 1'000 has no literal, and OR"" no raw one.
  bool IsInWord() const {
    return !code_.empty() && (absl::ascii_isalnum(code_.back()) || code_.back() == '_');
  }
  void Skip(size_t size) { text_.remove_prefix(std::min(size, text_.size())); }
  void SkipBehind(const std::string& end) {
    const size_t at = text_.find(end);
    Skip(at == absl::string_view::npos ? at : at + end.size());
    Space();
  }
  void SkipLiteral() {
    const char quote = text_[0];
    size_t end = 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    Skip(end + 1);
    code_.append(2, quote);
  }
  void Space() {
    if (!code_.empty() && code_.back() != ' ') code_ += ' ';
  }
  void Take() {
    if (absl::ascii_isspace(text_[0])) {
      Space();
    } else {
      code_ += text_[0];
    }
    Skip(1);
  }

  absl::string_view text_;
  std::string code_;
};

// In a header an initial value is the default of a member.
bool WritesVerdict(absl::string_view path, const std::string& code) {
  static const auto& assigned = *new re2::RE2("(?:[.>]|[;{})] ?)(?:agree|verdict) ?[&|]?= ?[^= ]");
  static const auto& given = *new re2::RE2(
      "(?:return|[?(,{]|[^:]:|[^=!<>]=) ?Verdict::k[A-Z]");  // not: if (x == Verdict::kSame)
  return re2::RE2::PartialMatch(code, assigned) ||
         (!absl::EndsWith(path, ".h") && re2::RE2::PartialMatch(code, given));
}

std::vector<std::string> NumericConstants(const std::string& code) {
  static const auto& statement =
      *new re2::RE2("\\b(?:constexpr|const) [\\w:]+ (k[A-Z]\\w* ?[={][^;]*);");
  // The first, and those after it: constexpr int kRows = 3, kColumns = 4;
  static const auto& constant = *new re2::RE2("(?:^|, )(k[A-Z]\\w*) ?[={](?:[^,;]*[^\\w,;])?[0-9]");
  std::vector<std::string> names;
  for (const std::string& declared : Matches(code, statement)) {
    const std::vector<std::string> more = Matches(declared, constant);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::vector<std::string> Observers(const std::string& code) {
  static const auto& expression = *new re2::RE2(
      "\\b(?:class|struct) ([\\w:]+)(?: final)? ?: ?[^{;()]*\\bObserver\\b[^{;()]*\\{");
  return Matches(code, expression);
}

std::vector<std::string> CallsOfRevisit(const std::string& code) {
  static const auto& expression = *new re2::RE2("(?:->|\\.)(Revisit)\\(");
  return Matches(code, expression);
}

std::vector<std::string> Types(const std::string& code) {
  static const auto& expression = *new re2::RE2(
      "\\b(?:struct|class|union|enum class|enum) ([\\w:]+)(?: final)?(?: ?: [^{;()]*)? ?\\{");
  return Matches(code, expression);
}

// The numbers of names in files, by the part of the house.
template <typename Names>
HouseCount CountNames(std::string name, const Code& code, Names names_of) {
  HouseCount count{std::move(name), {}};
  for (const auto& [path, text] : code) {
    if (const size_t found = names_of(text).size(); found > 0)
      count.by_folder[PartOf(path)] += found;
  }
  return count;
}

Code Those(const Code& code, bool (*wanted)(absl::string_view path)) {
  Code found;
  for (const auto& [path, text] : code) {
    if (wanted(path)) found[path] = text;
  }
  return found;
}

HouseCount Writers(const Code& code) {
  HouseCount count{"files that write agree or a verdict", {}};
  for (const auto& [path, text] : code) {
    if (!IsOfCompare(path) && !absl::c_linear_search(kJudges, TopOf(path))) continue;
    if (WritesVerdict(path, text)) ++count.by_folder[PartOf(path)];
  }
  return count;
}

HouseCount SharedNames(const Code& code) {
  std::map<std::string, std::vector<std::string>> parts;  // by name
  for (const auto& [path, text] : code) {
    for (const std::string& name : NumericConstants(text)) parts[name].push_back(PartOf(path));
  }
  HouseCount count{"numeric constants that share a name", {}};
  for (const auto& [name, of_name] : parts) {
    if (of_name.size() < 2) continue;
    for (const std::string& part : of_name) ++count.by_folder[part];
  }
  return count;
}

HouseCount Hidden(const Code& code, const SourceFiles& files) {
  HouseCount count{"functions hidden in a batch", {}};
  for (const HiddenFunction& function : HiddenFunctions(code, files))
    ++count.by_folder[PartOf(function.hider)];
  return count;
}

// Rooms, and arrows between them.
std::vector<HouseCount> CountRooms(const SourceFiles& files) {
  std::set<std::string> rooms;
  std::set<std::pair<std::string, std::string>> arrows;
  for (const auto& [path, text] : files) {
    if (TopOf(path) != "compare") continue;
    rooms.insert(FolderOf(path));
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      if (!absl::ConsumePrefix(&line, "#include \"compare/")) continue;
      const std::string to = FolderOf(absl::StrCat("compare/", line.substr(0, line.find('"'))));
      if (to != FolderOf(path)) arrows.emplace(FolderOf(path), to);
    }
  }
  HouseCount of_rooms{"rooms of compare", {}}, of_arrows{"arrows between rooms of compare", {}};
  for (const std::string& room : rooms) ++of_rooms.by_folder[PartOf(room + "/")];
  for (const auto& arrow : arrows) ++of_arrows.by_folder[PartOf(arrow.first + "/")];
  return {std::move(of_rooms), std::move(of_arrows)};
}

}  // namespace

std::vector<std::string> Matches(const std::string& code, const re2::RE2& expression) {
  std::vector<std::string> matches;
  re2::StringPiece rest(code);
  std::string match;
  while (re2::RE2::FindAndConsume(&rest, expression, &match)) matches.push_back(match);
  return matches;
}

std::string CodeOf(absl::string_view text) { return CodeReader(text).Read(); }

size_t HouseCount::Sum() const {
  size_t sum = 0;
  for (const auto& [folder, count] : by_folder) sum += count;
  return sum;
}

std::vector<HouseCount> CountHouse(const SourceFiles& files) {
  Code code;
  for (const auto& [path, text] : files) code[path] = CodeOf(text);
  const Code of_compare = Those(code, IsOfCompare);
  const Code headers =
      Those(of_compare, [](absl::string_view path) { return absl::EndsWith(path, ".h"); });
  const Code others =
      Those(code, [](absl::string_view path) { return TopOf(path) != "evaluator"; });
  std::vector<HouseCount> counts = {
      Writers(code),
      CountNames("numeric constants", of_compare, NumericConstants),
      SharedNames(of_compare),
      CountNames("observers", others, Observers),
      CountNames("calls of Revisit", code, CallsOfRevisit),
      CountNames("types in headers", headers, Types),
      Hidden(code, files),
  };
  for (HouseCount& count : CountRooms(files)) counts.push_back(std::move(count));
  return counts;
}

std::vector<std::string> WrongRows(absl::Span<const HouseRow> table,
                                   absl::Span<const HouseCount> counts) {
  std::vector<std::string> lines;
  for (const HouseCount& count : counts) {
    const size_t now = count.Sum();
    const auto row =
        absl::c_find_if(table, [&](const HouseRow& one) { return one.name == count.name; });
    if (row == table.end()) {
      lines.push_back(absl::StrCat("no row of the table has ", HouseLine(count)));
    } else if (now > row->count) {
      lines.push_back(absl::StrCat(count.name, " rose from ", row->count, " to ", now,
                                   ": do without, or say in the commit why not"));
    } else if (now < row->count) {
      lines.push_back(absl::StrCat(count.name, " fell from ", row->count, " to ", now,
                                   ": thank you; write ", now, " into the table"));
    }
  }
  for (const HouseRow& row : table) {
    if (absl::c_none_of(counts, [&](const HouseCount& one) { return one.name == row.name; })) {
      lines.push_back(absl::StrCat("nothing counts what the table calls ", row.name));
    }
  }
  return lines;
}

std::string HouseLine(const HouseCount& count) {
  return absl::StrCat(count.name, ": ", count.Sum(), " (",
                      absl::StrJoin(count.by_folder, ", ", absl::PairFormatter(" ")), ")");
}

}  // namespace onnxcmp
