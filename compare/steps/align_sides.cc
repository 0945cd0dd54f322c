#include "compare/steps/align_sides.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/alignment/recorded_pairs.h"
#include "compare/outputs/derived_results.h"
#include "compare/outputs/recorded_entries.h"
#include "compare/outputs/recorded_frame.h"
#include "compare/streams/common_form.h"
#include "compare/streams/result_names.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// By the canonical forms of results; casts and moved channels are still marked.
Alignment AlignedByValues(const PerSide<RecordedSide>& sides) {
  const ResultStream& left = *sides.left.stream;
  const ResultStream& right = *sides.right.stream;
  if (!HasForms(left) && !HasForms(right)) return Align(left, right);
  Alignment alignment = Align(InCommonForm(left), InCommonForm(right));
  for (AlignedRow& row : alignment.rows) {
    if (row.paired() &&
        sides.left.result(row.left.back()).dtype != sides.right.result(row.right.back()).dtype) {
      row.marks = static_cast<Marks>(row.marks | static_cast<Marks>(Mark::kCast));
    }
  }
  return alignment;
}

// "LEFT=RIGHT"; names may contain '='.
absl::StatusOr<AddedPair> GivenPair(absl::string_view text, const PerSide<RecordedSide>& sides) {
  absl::Status first;
  for (size_t at = text.find('='); at != absl::string_view::npos; at = text.find('=', at + 1)) {
    const absl::StatusOr<int> left = FindResult(*sides.left.stream, text.substr(0, at), "left");
    const absl::StatusOr<int> right = FindResult(*sides.right.stream, text.substr(at + 1), "right");
    if (left.ok() && right.ok()) return AddedPair{*left, *right, Mark::kGiven};
    first.Update(left.status());
    first.Update(right.status());
  }
  if (first.ok()) return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not LEFT=RIGHT"));
  return first;
}

Alignment WithPairs(Alignment alignment, const std::vector<AddedPair>& pairs,
                    const PerSide<RecordedSide>& sides) {
  if (pairs.empty()) return alignment;
  return Amend(alignment, pairs, *sides.left.stream, *sides.right.stream).alignment;
}

// A result that the other side no longer has is none of its results, whatever its name.
void DropDerived(const std::vector<DerivedResult>& derived, std::vector<AddedPair>* added) {
  std::erase_if(*added, [&](const AddedPair& pair) {
    return absl::c_any_of(derived, [&](const DerivedResult& result) {
      return OfSide(pair, result.side) == result.result;
    });
  });
}

}  // namespace

absl::StatusOr<Alignment> AlignSides(const PerSide<RecordedSide>& sides,
                                     absl::Span<const std::string> given, const StepTools& tools) {
  Alignment alignment = AlignedByValues(sides);
  std::vector<AddedPair> pairs;
  for (const std::string& text : given) {
    OC_ASSIGN_OR_RETURN(const AddedPair pair, GivenPair(text, sides));
    pairs.push_back(pair);
  }
  alignment = WithPairs(std::move(alignment), pairs, sides);
  if (!sides.left.stream->recorded && !sides.right.stream->recorded) return alignment;
  OC_ASSIGN_OR_RETURN(const std::vector<AddedPair> entries,
                      FindEntries(sides, alignment, tools.keep_values, tools.watch));
  alignment = WithPairs(std::move(alignment), entries, sides);
  std::vector<AddedPair> added = PairRecorded(alignment, *sides.left.stream, *sides.right.stream);
  OC_ASSIGN_OR_RETURN(std::vector<DerivedResult> derived,
                      FindDerived(sides, alignment, added, tools.keep_values, tools.watch));
  DropDerived(derived, &added);
  OC_ASSIGN_OR_RETURN(FoundInFrame found,
                      PairInFrame(sides, alignment, added, derived, tools.watch));
  DropDerived(found.derived, &added);
  derived.insert(derived.end(), found.derived.begin(), found.derived.end());
  alignment = WithPairs(std::move(alignment), added, sides);
  alignment = WithPairs(std::move(alignment), found.pairs, sides);
  alignment.derived = std::move(derived);
  return alignment;
}

}  // namespace onnxcmp
