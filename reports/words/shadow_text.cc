#include "reports/words/shadow_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

double FartherSide(const TruthFinding& of) { return std::max(of.left, of.right); }

}  // namespace

std::vector<std::string> ShadowText(const ShadowReport& report) {
  std::vector<std::string> lines;
  for (const auto& [name, side] :
       {std::pair("left", &report.left), std::pair("right", &report.right)}) {
    if (!side->ran) {
      lines.push_back(absl::StrCat("the ", name, " is a recording: it cannot run in double"));
    } else if (!side->status.ok()) {
      lines.push_back(absl::StrCat("the ", name, " does not run in double to its end: ",
                                   PrintableText(side->status.message())));
    }
    if (!side->other_flow.empty()) {
      lines.push_back(absl::StrCat("the ", name, " takes another way in double, first at ",
                                   PrintableText(side->other_flow),
                                   ": what follows it says nothing"));
    }
    if (side->changed > 0) {
      lines.push_back(
          absl::StrCat("the ", name, " has ", Count(side->changed, "result"), " that ",
                       side->changed == 1 ? "is no float and is" : "are no floats and are",
                       " another in double, the first ", PrintableText(side->first_changed),
                       ": what follows says nothing"));
    }
  }
  if (report.farthest.has_value()) {
    const TruthFinding& farthest = *report.farthest;
    std::string text = absl::StrFormat(
        "%s to the truth: %s are %s (left) and %s (right) of their size from what they are in "
        "double",
        NearerText(farthest),
        report.of_outputs ? "the outputs" : "the last results that can be judged",
        TwoDigits(farthest.left), TwoDigits(farthest.right));
    if (farthest.nearer == Nearer::kEqual) {
      text = absl::StrFormat(
          "both sides are equally good: %s are %s (left) and %s (right) of their size from "
          "what they are in double",
          report.of_outputs ? "the outputs" : "the last results that can be judged",
          TwoDigits(farthest.left), TwoDigits(farthest.right));
    }
    lines.insert(lines.begin(), std::move(text));
  }
  if (report.apart.has_value()) {
    // Distance in double that different orders of summation leave.
    constexpr double kSame = 1e-10;
    // Folded constants, or constants kept in a coarser type, are rounded as results are.
    const double rounding = report.farthest.has_value() ? 10 * FartherSide(*report.farthest) : 0;
    const std::string apart = absl::StrCat("in double the outputs are still ",
                                           TwoDigits(*report.apart), " of their size apart");
    lines.push_back(*report.apart <= kSame
                        ? "both sides agree in double: the differences are rounding"
                    : *report.apart <= rounding
                        ? absl::StrCat(apart, ", which rounded constants explain")
                        : absl::StrCat(apart,
                                       ", which is no rounding: other constants or another "
                                       "computation"));
  }
  std::array<int64_t, 3> counts = {};
  for (const std::optional<TruthFinding>& row : report.rows) {
    if (row.has_value()) ++counts[static_cast<size_t>(row->nearer)];
  }
  if (counts[0] + counts[1] + counts[2] > 0) {
    lines.push_back(absl::StrCat("of ", Count(counts[0] + counts[1] + counts[2], "pair"),
                                 " the left is nearer in ", counts[0], ", the right in ", counts[1],
                                 ", neither in ", counts[2]));
  }
  return lines;
}

}  // namespace onnxcmp
