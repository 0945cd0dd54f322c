#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "compare/outcome/exit_status.h"
#include "compare/outcome/verdict.h"
#include "record/base/work_bounds.h"
#include "record/text/display_text.h"
#include "reports/table/cause_words.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"
#include "reports/words/change_words.h"

namespace onnxcmp {
namespace {

// The text under its label in at most so many lines. False: it was cut.
bool AddCut(absl::string_view label, Color color, absl::string_view text, size_t most,
            const TableOptions& options, const TableStyle& style, std::vector<std::string>* lines) {
  const int width = std::max(20, options.width - kLabelWidth);
  std::vector<std::string> wrapped = WrapText(style.Text(text), width);
  const bool whole = wrapped.size() <= most;
  if (!whole) {
    wrapped.resize(most);
    wrapped.back() =
        ShortenEnd(absl::StrCat(wrapped.back(), " ", style.Ellipsis()), width, style.Ellipsis());
  }
  for (size_t i = 0; i < wrapped.size(); ++i) {
    lines->push_back(absl::StrCat(
        i == 0 ? style.Paint(PadRight(label, kLabelWidth), color) : std::string(kLabelWidth, ' '),
        wrapped[i], "\n"));
  }
  return whole;
}

// The first cause: what it is in its first line, below it where, why, and what goes further.
// False: it was cut.
bool AddFirstCause(const Comparison& comparison, size_t kept, const TableOptions& options,
                   const TableStyle& style, std::vector<std::string>* lines) {
  const CauseWords words = WordsOf(comparison, comparison.causes.front(), options);
  const std::pair<const char*, const std::string*> below[] = {
      {"  where", &words.where}, {"  why", &words.why}, {"  help", &words.help}};
  size_t left = 0;  // lines that are to come at least
  for (const auto& [label, text] : below) left += text->empty() ? 0 : 1;
  const auto room = [&] {
    const size_t taken = lines->size() + kept + left;
    return size_t{work_bounds::kLines} > taken ? size_t{work_bounds::kLines} - taken : 1;
  };
  bool whole =
      AddCut(CauseLabel(comparison, 0), Color::kBad, words.what, room(), options, style, lines);
  for (const auto& [label, text] : below) {
    if (text->empty()) continue;
    --left;
    whole &= AddCut(label, Color::kDim, *text, room(), options, style, lines);
  }
  return whole;
}

void AddChanges(const Comparison& comparison, const std::vector<FusedRows>& fusions,
                const TableOptions& options, const TableStyle& style,
                std::vector<std::string>* lines) {
  const size_t most =
      options.rows == TableOptions::Rows::kAll ? std::string::npos : size_t{work_bounds::kNamed};
  for (const auto& [label, text] : ChangeLines(FindChanges(comparison, fusions))) {
    AddCut(label, Color::kPlain, text, most, options, style, lines);
  }
}

}  // namespace

bool BelongsAbove(const Comparison& comparison, absl::string_view line) {
  // Inputs that were not tried limit the verdict.
  const bool frozen = !comparison.frozen.empty() &&
                      line == absl::StrCat("with ", absl::StrJoin(comparison.frozen, "; "));
  constexpr size_t kMostTables = 2;
  bool unread = false;
  for (size_t i = 0; i < std::min(comparison.unread.size(), kMostTables); ++i) {
    unread |= line == UnreadText(comparison.unread[i]);
  }
  return frozen || unread || absl::StartsWith(line, "but ") || line == OtherFailure(comparison);
}

std::string TableTop(const Comparison& comparison, const std::vector<FusedRows>& fusions,
                     const TableOptions& options, const TableStyle& style, bool* all_causes) {
  std::vector<std::string> lines;
  const std::vector<std::string> said =
      VerdictText(comparison, options.rows == TableOptions::Rows::kAll);
  const absl::string_view label = VerdictName(comparison.verdict());
  absl::string_view first = said.empty() ? "" : absl::string_view(said.front());
  // "same" is the label.
  if (label == "same" && absl::StartsWith(first, "same for ")) first.remove_prefix(5);
  AddCut(label, TableStyle::ColorOf(comparison.verdict()), first, size_t{work_bounds::kNamed},
         options, style, &lines);
  for (size_t i = 1; i < said.size(); ++i) {
    if (!BelongsAbove(comparison, said[i])) continue;
    AddCut("", Color::kPlain, said[i], 2, options, style, &lines);
  }
  *all_causes = true;
  const size_t count = comparison.causes.size();
  for (size_t i = 0; i < count; ++i) {
    // A line is kept for what is left.
    const size_t kept = i + 1 < count ? 1 : 0;
    if (lines.size() + kept >= size_t{work_bounds::kLines}) {
      lines.push_back(absl::StrCat(std::string(kLabelWidth, ' '), style.Ellipsis(), " ", count - i,
                                   count - i == 1 ? " more cause" : " more causes",
                                   " below the table\n"));
      *all_causes = false;
      break;
    }
    // The first tells most.
    if (i == 0) {
      *all_causes &= AddFirstCause(comparison, kept, options, style, &lines);
      continue;
    }
    const size_t room = size_t{work_bounds::kLines} - lines.size() - kept;
    *all_causes &= AddCut(CauseLabel(comparison, i), Color::kBad,
                          CauseSentence(comparison, comparison.causes[i]),
                          std::min(room, size_t{2}), options, style, &lines);
  }
  if (ChangesComeFirst(comparison)) AddChanges(comparison, fusions, options, style, &lines);
  return absl::StrJoin(lines, "");
}

}  // namespace onnxcmp
