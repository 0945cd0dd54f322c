#include "reports/words/proof_words.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/streams/result_stream.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/words/proof_text.h"

namespace onnxcmp {
namespace {

bool AgreesOnNumbers(const Comparison& comparison) {
  return comparison.verdict() == Verdict::kSame || comparison.verdict() == Verdict::kClose;
}

bool IsProved(const Comparison& comparison) {
  return comparison.proof != nullptr && comparison.proof->not_possible.empty() &&
         (comparison.proof->proved || comparison.proof->conversions.proved);
}

}  // namespace

std::string ProvedVerdict(const Comparison& comparison) {
  if (!IsProved(comparison) || !AgreesOnNumbers(comparison)) return "";
  return ProofText(*comparison.proof, false).front();
}

std::string ProvedButDifferent(const Comparison& comparison) {
  if (!IsProved(comparison) || comparison.verdict() != Verdict::kDifferent) return "";
  return absl::StrCat("but the ", ProofText(*comparison.proof, false).front());
}

std::string NotProvedText(const Comparison& comparison) {
  if (comparison.proof == nullptr || !AgreesOnNumbers(comparison)) return "";
  const ProofReport& proof = *comparison.proof;
  if (!proof.not_possible.empty()) {
    return absl::StrCat("but not proved for all inputs: ", PrintableText(proof.not_possible));
  }
  for (const ProofSizes& sizes : proof.sizes) {
    if (sizes.proved) continue;
    return absl::StrCat("but not proved with ", PrintableText(sizes.sizes),
                        sizes.why.empty() ? "" : ": ", PrintableText(sizes.why));
  }
  if (proof.proved || proof.conversions.proved) return "";
  std::string text = "but not proved for all inputs of these shapes";
  if (proof.parted.empty()) return text;
  const ProofRow& row = proof.parted.front();
  absl::StrAppend(&text, ": ", PrintableText(row.left),
                  row.left == row.right ? "" : absl::StrCat(" | ", PrintableText(row.right)));
  if (row.proof == RowProof::kDiffers) absl::StrAppend(&text, " differs in exact arithmetic");
  if (row.proof != RowProof::kDiffers && !row.why.empty()) {
    absl::StrAppend(&text, ": ", PrintableText(row.why));
  }
  return text;
}

std::string RewritesText(const Comparison& comparison, bool all) {
  std::vector<std::string> parts;
  for (const Rewrite& rewrite : FindRewrites(comparison)) {
    parts.push_back(absl::StrCat(rewrite.places.size() > 1
                                     ? absl::StrCat(rewrite.places.size(), kNoBreak, "×", kNoBreak)
                                     : "",
                                 rewrite.what, ": ", FindingText(rewrite)));
  }
  if (!all) CutList(&parts, 8, "more (--all shows)");
  return absl::StrJoin(parts, "; ");
}

std::string ProvedPairsText(const Comparison& comparison, const std::vector<std::string>& marks) {
  std::array<const char*, 4> words = {" proved", " proved given those before", " not proved",
                                      " other in exact arithmetic"};
  if (comparison.proof == nullptr) return "";
  if (comparison.proof->conversions.proved) words[1] = " proved with exact numbers";
  std::array<int64_t, 5> counts = {};
  for (const RowProof row : comparison.proof->rows) ++counts[static_cast<size_t>(row)];
  std::vector<std::string> parts;
  for (size_t i = 0; i < words.size(); ++i) {
    if (counts[i] == 0) continue;
    const std::string number = parts.empty() ? Count(counts[i], "pair") : absl::StrCat(counts[i]);
    parts.push_back(absl::StrCat(
        number, words[i], i < marks.size() ? absl::StrCat(kNoBreak, "(", marks[i], ")") : ""));
  }
  return absl::StrJoin(parts, ", ");
}

std::vector<std::string> ProofLines(const Comparison& comparison, bool all) {
  if (comparison.proof == nullptr) return {};
  std::vector<std::string> lines = ProofText(*comparison.proof, all);
  const bool told = !ProvedVerdict(comparison).empty() || !ProvedButDifferent(comparison).empty();
  if (told) lines.erase(lines.begin());
  return lines;
}

RowProof CauseProofOf(const Comparison& comparison, const Cause& cause) {
  if (comparison.proof == nullptr || cause.in_body.has_value() || cause.left == kNone ||
      cause.right == kNone) {
    return RowProof::kNotLookedAt;
  }
  for (size_t row = 0; row < comparison.rows.size(); ++row) {
    const AlignedRow& aligned = comparison.rows[row].aligned;
    if (aligned.paired() && aligned.left.back() == cause.left &&
        aligned.right.back() == cause.right) {
      return RowProofOf(comparison, row);
    }
  }
  return RowProof::kNotLookedAt;
}

std::string CauseProofText(const Comparison& comparison, const Cause& cause) {
  switch (CauseProofOf(comparison, cause)) {
    case RowProof::kDiffers:
      return "proved: it differs in exact arithmetic, whatever the tolerance";
    case RowProof::kProved:
    case RowProof::kProvedOn:
      if (comparison.proof->conversions.proved) {
        return "proved: with exact numbers it is the same, so that only conversions, rounding, "
               "overflow or NaN differ";
      }
      return "proved: in exact arithmetic it is the same, so that only rounding, overflow or NaN "
             "differ";
    case RowProof::kNotProved:
    case RowProof::kNotLookedAt:
      break;
  }
  return "";
}

}  // namespace onnxcmp
