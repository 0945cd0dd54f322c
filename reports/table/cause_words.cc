#include "reports/table/cause_words.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compare/causes/cause_class.h"
#include "record/base/per_side.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_summary.h"
#include "reports/words/result_words.h"

namespace onnxcmp {
namespace {

// How far off, in the words of the search for causes.
bool IsMeasure(absl::string_view part) {
  return absl::StartsWith(part, "on the left's own inputs") ||
         absl::StartsWith(part, "gives something else on the left's own inputs");
}

const StreamNode* NodeOf(const ResultStream& stream, int result) {
  const int node = result == kNone ? kNone : stream.results[Index(result)].node;
  return node == kNone ? nullptr : &stream.nodes[Index(node)];
}

// "MatMul scores of decoder.layers.1": names of constants say little, those of their readers more.
std::string ReadersText(const ResultStream& stream, int result) {
  std::vector<std::string> readers;
  for (const StreamNode& node : stream.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), result) == node.inputs.end()) continue;
    const auto output = std::find_if(node.outputs.begin(), node.outputs.end(),
                                     [](int made) { return made != kNone; });
    if (output == node.outputs.end()) continue;
    readers.push_back(PrintableText(
        absl::StrCat(node.op_type, " ", PathAndName(stream, *output),
                     node.module.value_or("").empty() ? "" : absl::StrCat(" of ", *node.module))));
  }
  CutList(&readers, 2);
  return readers.empty() ? "" : absl::StrCat("read by ", absl::StrJoin(readers, ", "));
}

std::string WhereOf(const Comparison& comparison, const Cause& cause) {
  if (cause.in_body.has_value()) return "";
  std::vector<std::string> modules;
  for (const SideId side : kBothSides) {
    const StreamNode* node = NodeOf(OfSide(comparison, side), OfSide(cause, side));
    if (node == nullptr || node->module.value_or("").empty()) continue;
    if (modules.empty() || modules.back() != *node->module) modules.push_back(*node->module);
  }
  std::vector<std::string> parts;
  if (!modules.empty()) {
    parts.push_back(absl::StrCat("in ", PrintableText(absl::StrJoin(modules, " | "))));
  }
  const std::string line = CauseSourceLine(comparison, cause);
  if (!line.empty()) parts.push_back(PrintableText(line));
  const bool has_readers = cause.kind == CauseKind::kInitializer || cause.kind == CauseKind::kInput;
  for (const SideId side : kBothSides) {
    const int result = OfSide(cause, side);
    if (!has_readers || result == kNone) continue;
    std::string readers = ReadersText(OfSide(comparison, side), result);
    if (readers.empty()) continue;
    parts.push_back(std::move(readers));
    break;  // the other side's readers are mostly the same by other names
  }
  return absl::StrJoin(parts, ", ");
}

// Options that go further, unless they were given.
std::string HelpOf(const Comparison& comparison, const Cause& cause, const TableOptions& options) {
  std::vector<std::string> parts;
  const int row = RowOfCause(comparison, cause);
  if (row >= 0 && !comparison.explanation.has_value()) {
    parts.push_back(absl::StrCat("--explain", kNoBreak, row, " shows it in depth"));
  }
  const bool models = !comparison.left.recorded && !comparison.right.recorded;
  const bool in_runtime =
      !comparison.left_summary.ran_in.empty() || !comparison.right_summary.ran_in.empty();
  if (cause.kind == CauseKind::kInput) {
    parts.push_back(absl::StrCat("--map-input", kNoBreak, "LEFT=RIGHT feeds both the same"));
  } else if (in_runtime) {
    if (cause.repro_folder.empty()) {
      parts.push_back(absl::StrCat("--repro", kNoBreak, "DIR writes it as a small model"));
    }
  } else if (models && IsMistake(cause.kind) && !options.fixed) {
    parts.push_back(absl::StrCat("--fix", kNoBreak, "OUT writes the right model mended"));
  } else if (models && !IsMistake(cause.kind) && !comparison.shadow.has_value()) {
    parts.emplace_back("--shadow says which side is nearer");
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace

std::string TellingFirst(absl::string_view text) {
  std::vector<std::string> parts = absl::StrSplit(text, "; ");
  // How both values are related says more than two operators.
  const bool telling = parts.size() > 1 && absl::StartsWith(parts[1], "operator: ") &&
                       absl::StrContains(parts.front(), ": ");
  if (parts.size() > 1 && IsMeasure(parts.front()) && !telling) {
    std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  }
  return absl::StrJoin(parts, "; ");
}

int RowOfCause(const Comparison& comparison, const Cause& cause) {
  int of_one = -1;  // the first with the result of one side alone
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedRow& row = comparison.rows[i].aligned;
    const auto is_of = [&](SideId side) {
      return OfSide(cause, side) != kNone && !OfSide(row, side).empty() &&
             OfSide(row, side).back() == OfSide(cause, side);
    };
    if (is_of(SideId::kLeft) && is_of(SideId::kRight)) return static_cast<int>(i);
    if (of_one < 0 && (is_of(SideId::kRight) || is_of(SideId::kLeft))) of_one = static_cast<int>(i);
  }
  return of_one;
}

CauseWords WordsOf(const Comparison& comparison, const Cause& cause, const TableOptions& options) {
  const std::string sentence = CauseSentence(comparison, cause);
  absl::string_view rest = sentence;
  CauseWords words;
  words.what = CausePair(comparison, cause);
  absl::ConsumePrefix(&rest, words.what);
  absl::ConsumePrefix(&rest, ": ");
  std::vector<absl::string_view> parts = absl::StrSplit(rest, "; ", absl::SkipEmpty());
  words.where = WhereOf(comparison, cause);
  // `where` has the line of the program.
  if (!parts.empty() && !words.where.empty() && !CauseSourceLine(comparison, cause).empty()) {
    parts.pop_back();
  }
  if (!parts.empty()) {
    absl::StrAppend(&words.what, words.what.empty() ? "" : ": ", parts.front());
    parts.erase(parts.begin());
  }
  words.why = absl::StrJoin(parts, "; ");
  words.help = HelpOf(comparison, cause, options);
  return words;
}

}  // namespace onnxcmp
