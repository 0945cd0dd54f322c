#include "reports/words/rulings_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/outputs/rulings.h"

namespace onnxcmp {

std::vector<std::string> RulingsText(const OutputComparison& outputs) {
  std::vector<std::string> lines;
  for (const OutputPair& pair : outputs.pairs) {
    if (pair.rulings.empty()) continue;
    std::vector<std::string> clauses;
    for (const Ruling& ruling : pair.rulings) {
      const GroundRow& row = RowOf(ruling.ground);
      clauses.push_back(absl::StrCat(row.agrees ? "excused: " : "objection: ", row.name,
                                     ruling.why.empty() ? "" : ": ", ruling.why,
                                     ruling.decides ? "" : " (changes nothing)"));
    }
    lines.push_back(absl::StrCat(pair.left, ": ", absl::StrJoin(clauses, "; ")));
  }
  return lines;
}

}  // namespace onnxcmp
