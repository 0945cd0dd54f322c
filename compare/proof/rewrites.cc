#include "compare/proof/rewrites.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/outcome/fused_rows.h"
#include "compare/outputs/compared_row.h"
#include "compare/streams/result_stream.h"
#include "compare/text/display_text.h"

namespace onnxcmp {
namespace {

RewriteState StateOfRow(const Comparison& comparison, size_t row) {
  switch (RowProofOf(comparison, row)) {
    case RowProof::kProved:
    case RowProof::kProvedOn:
      return RewriteState::kProved;
    case RowProof::kDiffers:
      return RewriteState::kDiffersExactly;
    case RowProof::kNotProved:
    case RowProof::kNotLookedAt:
      break;
  }
  return comparison.rows[row].relation == Relation::kDifferent ? RewriteState::kDifferent
                                                               : RewriteState::kTested;
}

// The operator that makes a result; "constant", "input".
std::string MakerOf(const StreamResult& result, const ResultStream& stream) {
  if (result.kind == ResultKind::kInput) return "input";
  const std::string& op = OpTypeOf(result, stream);
  return op.empty() || op == "Constant" ? "constant" : PrintableText(op);
}

// "Pow → Mul", "Resize", "Mul → constant"; "" if both sides compute the pair alike, and so that it
// is proved.
std::string RewriteOfRow(const Comparison& comparison, size_t row) {
  const AlignedRow& aligned = comparison.rows[row].aligned;
  const StreamResult& left = comparison.left.results[Index(aligned.left.back())];
  const StreamResult& right = comparison.right.results[Index(aligned.right.back())];
  // An output repeats the result that has a row of its own.
  if (left.kind == ResultKind::kOutput || right.kind == ResultKind::kOutput) return "";
  const std::string from = MakerOf(left, comparison.left);
  const std::string to = MakerOf(right, comparison.right);
  if (from != to) return absl::StrCat(from, " → ", to);
  if (from == "constant" || from == "input") return "";
  const bool looked_at = RowProofOf(comparison, row) != RowProof::kNotLookedAt;
  return !looked_at || StateOfRow(comparison, row) == RewriteState::kProved ? "" : from;
}

class Collector {
 public:
  explicit Collector(const Comparison& comparison) : comparison_(comparison) {}

  std::vector<Rewrite> Collect() {
    std::vector<bool> in_fusion(comparison_.rows.size(), false);
    for (const FusedRows& fusion : FindFusedRows(comparison_)) {
      RewriteState worst = RewriteState::kProved;
      for (const size_t row : fusion.rows) {
        in_fusion[row] = true;
        worst = std::min(worst, StateOfRow(comparison_, row));
      }
      Add({FusedRowsText(comparison_, fusion), 1, worst, "", fusion.rows, fusion.left,
           fusion.right});
    }
    for (size_t row = 0; row < comparison_.rows.size(); ++row) {
      const AlignedRow& aligned = comparison_.rows[row].aligned;
      if (in_fusion[row] || !aligned.paired()) continue;
      std::string what = RewriteOfRow(comparison_, row);
      if (what.empty()) continue;
      Rewrite rewrite = {std::move(what), 1, StateOfRow(comparison_, row), "", {row}, {}, {}};
      const int left = comparison_.left.results[Index(aligned.left.back())].node;
      const int right = comparison_.right.results[Index(aligned.right.back())].node;
      if (left != kNone && right != kNone) {
        rewrite.left = {left};
        rewrite.right = {right};
      }
      Add(std::move(rewrite));
    }
    std::vector<Rewrite> rewrites;
    for (auto& [key, rewrite] : found_) rewrites.push_back(std::move(rewrite));
    // Those that are not proved first, the most frequent first.
    std::stable_sort(rewrites.begin(), rewrites.end(), [](const Rewrite& a, const Rewrite& b) {
      return std::pair(a.state, -a.places) < std::pair(b.state, -b.places);
    });
    return rewrites;
  }

 private:
  void Add(Rewrite rewrite) {
    if (rewrite.state == RewriteState::kTested) {
      for (const RewriteFault& fault : comparison_.proof->rewrite_faults) {
        if (fault.what != rewrite.what) continue;
        rewrite.state = RewriteState::kDiffersAlone;
        rewrite.counterexample = fault.counterexample;
      }
    }
    const auto key = std::pair(rewrite.state, rewrite.what);
    const auto [it, is_new] = found_.try_emplace(key, std::move(rewrite));
    if (!is_new) ++it->second.places;
  }

  const Comparison& comparison_;
  std::map<std::pair<RewriteState, std::string>, Rewrite> found_;
};

}  // namespace

RowProof RowProofOf(const Comparison& comparison, size_t row) {
  if (comparison.proof == nullptr || row >= comparison.proof->rows.size()) {
    return RowProof::kNotLookedAt;
  }
  return comparison.proof->rows[row];
}

absl::string_view RewriteStateName(RewriteState state) {
  switch (state) {
    case RewriteState::kDiffersExactly:
      return "differs in exact arithmetic";
    case RewriteState::kDifferent:
      return "differs";
    case RewriteState::kDiffersAlone:
      return "differs alone";
    case RewriteState::kTested:
      return "tested";
    case RewriteState::kProved:
      break;
  }
  return "proved";
}

std::vector<Rewrite> FindRewrites(const Comparison& comparison) {
  if (comparison.proof == nullptr || !comparison.proof->not_possible.empty()) return {};
  return Collector(comparison).Collect();
}

std::string RewriteFaultOf(const Comparison& comparison) {
  if (comparison.proof == nullptr || comparison.proof->proved ||
      comparison.proof->conversions.proved) {
    return "";
  }
  for (const Rewrite& rewrite : FindRewrites(comparison)) {
    if (rewrite.state == RewriteState::kTested || rewrite.state == RewriteState::kProved) continue;
    return absl::StrCat(rewrite.what, " ", RewriteStateName(rewrite.state),
                        rewrite.counterexample.empty() ? "" : ": ", rewrite.counterexample);
  }
  // Constants that were changed a little: those that differ much are other constants.
  for (size_t row = 0; row < comparison.rows.size(); ++row) {
    if (RowProofOf(comparison, row) != RowProof::kDiffers ||
        comparison.rows[row].relation == Relation::kDifferent) {
      continue;
    }
    const AlignedRow& aligned = comparison.rows[row].aligned;
    return absl::StrCat(PrintableText(comparison.left.results[Index(aligned.left.back())].name),
                        " differs in exact arithmetic");
  }
  return "";
}

}  // namespace onnxcmp
