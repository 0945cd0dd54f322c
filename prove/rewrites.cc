#include "prove/rewrites.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/outcome/fused_rows.h"
#include "compare/outputs/compared_row.h"
#include "record/streams/result_stream.h"
#include "record/text/display_text.h"

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
      Add({FusedRowsText(comparison_, fusion), worst, {{fusion.rows, fusion.left, fusion.right}}});
    }
    for (size_t row = 0; row < comparison_.rows.size(); ++row) {
      const AlignedRow& aligned = comparison_.rows[row].aligned;
      if (in_fusion[row] || !aligned.paired()) continue;
      std::string what = RewriteOfRow(comparison_, row);
      if (what.empty()) continue;
      RewritePlace place = {{row}, {}, {}};
      const int left = comparison_.left.results[Index(aligned.left.back())].node;
      const int right = comparison_.right.results[Index(aligned.right.back())].node;
      if (left != kNone && right != kNone) {
        place.left = {left};
        place.right = {right};
      }
      Add({std::move(what), StateOfRow(comparison_, row), {std::move(place)}});
    }
    std::vector<Rewrite> rewrites;
    for (auto& [key, rewrite] : found_) rewrites.push_back(std::move(rewrite));
    // Those that are not proved first, the most frequent first.
    std::stable_sort(rewrites.begin(), rewrites.end(), [](const Rewrite& a, const Rewrite& b) {
      return std::pair(a.state, b.places.size()) < std::pair(b.state, a.places.size());
    });
    return rewrites;
  }

 private:
  void Add(Rewrite rewrite) {
    if (comparison_.proof->proved && rewrite.state != RewriteState::kProved) return;
    const size_t row = rewrite.places[0].rows.front();
    for (const RewriteFault& fault : comparison_.proof->rewrite_faults) {
      if (std::find(fault.rows.begin(), fault.rows.end(), row) == fault.rows.end()) continue;
      rewrite.fault = &fault;
      if (!fault.at_ends) rewrite.state = RewriteState::kDiffersAlone;
    }
    const auto key = std::tuple(rewrite.state, rewrite.what, rewrite.fault);
    const auto [it, is_new] = found_.try_emplace(key, rewrite);
    if (!is_new) it->second.places.push_back(std::move(rewrite.places[0]));
  }

  const Comparison& comparison_;
  std::map<std::tuple<RewriteState, std::string, const RewriteFault*>, Rewrite> found_;
};

}  // namespace

RowProof RowProofOf(const Comparison& comparison, size_t row) {
  if (comparison.proof == nullptr || row >= comparison.proof->rows.size()) {
    return RowProof::kNotLookedAt;
  }
  return comparison.proof->rows[row];
}

absl::string_view RowProofName(RowProof proof) {
  switch (proof) {
    case RowProof::kProved:
      return "proved";
    case RowProof::kProvedOn:
      return "proved given those before";
    case RowProof::kNotProved:
      return "not proved";
    case RowProof::kDiffers:
      return "differs in exact arithmetic";
    case RowProof::kNotLookedAt:
      break;
  }
  return "";
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

std::string FindingText(const Rewrite& rewrite) {
  std::string text(RewriteStateName(rewrite.state));
  if (rewrite.fault == nullptr) return text;
  return absl::StrCat(text, rewrite.fault->at_ends ? ", but " : ": ",
                      rewrite.fault->counterexample);
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
    return absl::StrCat(rewrite.what, " ", FindingText(rewrite));
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
