#include "reports/words/proof_text.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

std::string List(const std::vector<std::string>& items, bool all) {
  std::vector<std::string> shown;
  for (const std::string& item : items) shown.push_back(PrintableText(item));
  if (!all) CutList(&shown, 6);
  return absl::StrJoin(shown, ", ");
}

// The scope of the statement: "for all inputs of these shapes, with input_ids as it was fed".
std::string Scope(const ProofReport& report, bool all) {
  std::string text = report.given_shapes
                         ? "for all inputs of these shapes that lead to shapes as on these"
                         : "for all inputs of these shapes";
  if (!report.given.empty()) absl::StrAppend(&text, ", with ", List(report.given, all), " as fed");
  if (!report.guessed.empty()) {
    absl::StrAppend(&text, ", if the inputs belong together as guessed (",
                    List(report.guessed, all), ")");
  }
  if (report.masks) absl::StrAppend(&text, ", with -10000 and less as -infinity in Softmax");
  return text;
}

// The end of the statement.
std::string Exceptions(const ProofReport& report, bool all) {
  std::string text = "rounding, overflow and NaN";
  if (!report.rounded_jumps.empty()) {
    absl::StrAppend(&text, "; other roundings on the two sides may turn ",
                    List(report.rounded_jumps, all));
  }
  return text;
}

std::string NameOf(const ProofRow& row) {
  const std::string left = PrintableText(row.left);
  return row.left == row.right ? left : absl::StrCat(left, " | ", PrintableText(row.right));
}

// Where the two part, a line each.
void AddParted(const ProofReport& report, bool all, std::vector<std::string>* lines) {
  std::vector<std::string> parted;
  for (const ProofRow& row : report.parted) {
    const char* const what =
        row.proof == RowProof::kDiffers
            ? "differs in exact arithmetic, by as little as the rounding of a constant"
            : "not proved";
    parted.push_back(
        absl::StrCat(NameOf(row), ": ", what, row.why.empty() ? "" : ": ", PrintableText(row.why)));
  }
  if (!all) CutList(&parted, 6, "more (--all shows)");
  lines->insert(lines->end(), parted.begin(), parted.end());
}

// Nodes where no proof goes on, by operator: "Loop (2 nodes): it has a graph of its own".
void AddEnds(const std::vector<ProofEnd>& ends, const char* side, std::vector<std::string>* lines) {
  std::map<std::string, std::vector<std::string>> nodes;
  for (const ProofEnd& end : ends) {
    nodes[absl::StrCat(end.op_type, ": ", end.why)].push_back(end.node);
  }
  for (const auto& [what, names] : nodes) {
    lines->push_back(absl::StrCat("the ", side, "'s proof ends at ", List(names, false), " (",
                                  PrintableText(what), ")"));
  }
}

// "24 constants to float16, 3 constants to int8, 12 results to uint8".
std::string ConvertedText(const ProofConversions& conversions) {
  std::map<std::string, int64_t> constants;
  for (const ProofConversion& constant : conversions.constants) ++constants[constant.type];
  std::vector<std::string> parts;
  for (const auto& [type, count] : constants) {
    parts.push_back(absl::StrCat(Count(count, "constant"), " to ", type));
  }
  for (const ProofRoundedResults& results : conversions.results) {
    const auto count = static_cast<int64_t>(results.nodes.size());
    parts.push_back(absl::StrCat(Count(count, "result"), " to ", results.type));
  }
  return absl::StrJoin(parts, ", ");
}

// The constants of the other side, by what they were converted to, and what was lost on the way.
void AddConversions(const ProofConversions& conversions, bool all,
                    std::vector<std::string>* lines) {
  std::map<std::string, std::vector<std::string>> names;
  std::vector<std::string> zeros, cut;
  for (const ProofConversion& constant : conversions.constants) {
    names[constant.type].push_back(constant.constant);
    if (constant.zeros > 0)
      zeros.push_back(absl::StrCat(constant.constant, " (", constant.zeros, ")"));
    if (constant.out_of_range > 0) {
      cut.push_back(absl::StrCat(constant.constant, " (", constant.out_of_range, " of ",
                                 constant.elements, ")"));
    }
  }
  for (const auto& [type, constants] : names) {
    lines->push_back(absl::StrCat("in ", type, " on the ", conversions.side,
                                  ", each element the nearest number: ", List(constants, all)));
  }
  if (!zeros.empty()) {
    lines->push_back(absl::StrCat("elements too small for the type, which are 0 there, or nearly: ",
                                  List(zeros, all)));
  }
  if (!cut.empty()) {
    lines->push_back(
        absl::StrCat("elements beyond the type's range, cut to its end: ", List(cut, all)));
  }
  for (const ProofRoundedResults& results : conversions.results) {
    lines->push_back(absl::StrCat("results on the ", conversions.side,
                                  " are cut where the codes of ", results.type,
                                  " end: ", List(results.nodes, all)));
  }
  if (!conversions.outputs.empty()) {
    lines->push_back(absl::StrCat("outputs of another type on the ", conversions.side, ": ",
                                  List(conversions.outputs, all)));
  }
}

}  // namespace

std::vector<std::string> ProofText(const ProofReport& report, bool all) {
  if (!report.not_possible.empty()) {
    return {absl::StrCat("not possible: ", PrintableText(report.not_possible))};
  }
  std::vector<std::string> lines;
  const ProofConversions& conversions = report.conversions;
  if (report.proved) {
    lines.push_back(
        absl::StrCat("same ", Scope(report, all), " (proved), but for ", Exceptions(report, all)));
  } else if (conversions.proved) {
    const std::string converted = ConvertedText(conversions);
    lines.push_back(
        absl::StrCat("same with exact numbers ", Scope(report, all), " (proved), but for ",
                     converted.empty() ? "" : absl::StrCat("the conversion of ", converted, ", "),
                     "rounding, overflow and NaN"));
    AddConversions(conversions, all, &lines);
  } else {
    const auto proved =
        std::count_if(report.outputs.begin(), report.outputs.end(),
                      [](const ProofRow& row) { return row.proof == RowProof::kProved; });
    lines.push_back(absl::StrCat("not proved: ", proved, " of ",
                                 Count(static_cast<int64_t>(report.outputs.size()), "output"),
                                 " the same ", Scope(report, all), "; ", report.proved_results,
                                 " of ", Count(report.results, "pair"),
                                 " are, given the pairs before them"));
    AddParted(report, all, &lines);
    if (!conversions.side.empty()) {
      const std::string converted = ConvertedText(conversions);
      lines.push_back(absl::StrCat(
          "not proved with exact numbers either",
          converted.empty() ? "" : absl::StrCat(", for the conversion of ", converted),
          conversions.parts_at.empty() ? "" : ": first at ", PrintableText(conversions.parts_at)));
    }
  }
  if (report.proved || conversions.proved) {
    lines.push_back(absl::StrCat("a false proof has a chance below 2^-", kProofChanceBits, ": ",
                                 kProofRuns, " runs modulo random primes agree"));
  }
  if (!report.folds.empty()) {
    int64_t ulp = 0;
    std::vector<std::string> names;
    for (const ProofFold& fold : report.folds) {
      ulp = std::max(ulp, fold.ulp);
      names.push_back(NameOf({fold.left, fold.right, RowProof::kProved, ""}));
    }
    lines.push_back(absl::StrCat("but for the rounding of ",
                                 Count(static_cast<int64_t>(names.size()), "folded constant"),
                                 ", within ", ulp, " ulp: ", List(names, all)));
  }
  if (!report.constants.empty()) {
    lines.push_back(
        absl::StrCat("constants that stand for real numbers: ", List(report.constants, all)));
  }
  for (const ProofSizes& sizes : report.sizes) {
    lines.push_back(absl::StrCat(sizes.proved ? "the same with " : "not proved with ",
                                 PrintableText(sizes.sizes), sizes.proved ? " (proved)" : "",
                                 sizes.why.empty() ? "" : ": ", PrintableText(sizes.why)));
  }
  if (!report.proved && !conversions.proved) {
    AddEnds(report.left_ends, "left", &lines);
    AddEnds(report.right_ends, "right", &lines);
  }
  return lines;
}

}  // namespace onnxcmp
