#include "compare/stages/align_sides.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/recorded/before_layers.h"
#include "compare/recorded/entries.h"
#include "compare/recorded/frame.h"
#include "compare/recorded/inside_nodes.h"
#include "compare/recorded/integers.h"
#include "compare/recorded/kept_as_integers.h"
#include "compare/recorded/names_and_values.h"
#include "compare/recorded/order.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/common_form.h"
#include "record/streams/result_names.h"

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

// A result that the other side no longer has is none of its results, whatever its name. The first
// that shared its partner has it alone then.
void DropDerived(const Alignment& alignment, const std::vector<DerivedResult>& derived,
                 std::vector<AddedPair>* added) {
  for (const DerivedResult& result : derived) {
    if (result.of == kNone) continue;
    const SideId own = result.side;
    const auto is_owner = [&](const AddedPair& pair) {
      return OfSide(pair, own) == result.result && !pair.shared;
    };
    const auto owner = absl::c_find_if(*added, is_owner);
    const bool had_it = alignment.partners(Other(own))[Index(result.of)] == result.result;
    if (owner == added->end() && !had_it) continue;
    const int partner = owner == added->end() ? result.of : OfSide(*owner, Other(own));
    const auto heir = absl::c_find_if(*added, [&](const AddedPair& pair) {
      return OfSide(pair, Other(own)) == partner && pair.shared == Other(own) &&
             absl::c_none_of(derived, [&](const DerivedResult& other) {
               return other.result == OfSide(pair, own);
             });
    });
    if (heir != added->end()) heir->shared.reset();
  }
  std::erase_if(*added, [&](const AddedPair& pair) {
    return absl::c_any_of(derived, [&](const DerivedResult& result) {
      return OfSide(pair, result.side) == result.result;
    });
  });
}

// The row of a result that stands last in it; the one that is not merged, if there are several.
AlignedRow* RowOf(Alignment* alignment, SideId side, int result, std::optional<bool> merged) {
  for (AlignedRow& row : alignment->rows) {
    if (!row.paired() || OfSide(row, side).back() != result) continue;
    if (!merged || Has(row.marks, Mark::kMerged) == *merged) return &row;
  }
  return nullptr;
}

// Rows that pair a result with the one that it explains become two; a result that shared the
// partner has it alone then.
Alignment WithoutDerived(Alignment alignment, const std::vector<DerivedResult>& derived) {
  for (const DerivedResult& result : derived) {
    if (result.of == kNone) continue;
    const SideId own = result.side;
    const SideId other = Other(own);
    std::vector<int>& partners =
        own == SideId::kLeft ? alignment.left_to_right : alignment.right_to_left;
    std::vector<int>& back =
        own == SideId::kLeft ? alignment.right_to_left : alignment.left_to_right;
    AlignedRow* const row = RowOf(&alignment, own, result.result, std::nullopt);
    if (row == nullptr || partners[Index(result.result)] != result.of) continue;
    partners[Index(result.result)] = kNone;
    const bool owned = !Has(row->marks, Mark::kMerged);
    AlignedRow rest = *row;
    OfSide(rest, own).clear();
    rest.marks = 0;
    OfSide(*row, other).clear();
    row->marks = 0;
    if (!owned) continue;
    if (AlignedRow* const heir = RowOf(&alignment, other, result.of, true); heir != nullptr) {
      heir->marks = static_cast<Marks>(heir->marks & ~static_cast<Marks>(Mark::kMerged));
      OfSide(*heir, other) = OfSide(rest, other);
      back[Index(result.of)] = OfSide(*heir, own).back();
      continue;
    }
    back[Index(result.of)] = kNone;
    const auto at = row - alignment.rows.data();
    alignment.rows.insert(alignment.rows.begin() + at + 1, rest);
  }
  return alignment;
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
                      FindInside(sides, alignment, added, tools.watch));
  DropDerived(alignment, derived, &added);
  alignment = WithoutDerived(std::move(alignment), derived);
  OC_ASSIGN_OR_RETURN(std::vector<DerivedResult> before,
                      FindDerived(sides, alignment, tools.keep_values, tools.watch, &added));
  std::erase_if(before, [&](const DerivedResult& one) {
    return absl::c_any_of(derived, [&](const auto& other) { return other.result == one.result; });
  });
  DropDerived(alignment, before, &added);
  alignment = WithoutDerived(std::move(alignment), before);
  derived.insert(derived.end(), before.begin(), before.end());
  OC_ASSIGN_OR_RETURN(std::vector<DerivedResult> kept,
                      FindKeptAsIntegers(sides, alignment, added, tools.watch));
  OC_ASSIGN_OR_RETURN(const std::vector<DerivedResult> integers,
                      FindRecordedIntegers(sides, alignment, added, tools.watch));
  kept.insert(kept.end(), integers.begin(), integers.end());
  for (const DerivedResult& one : kept) {
    const auto is_known = [&](const auto& other) { return other.result == one.result; };
    if (absl::c_any_of(derived, is_known)) continue;
    DropDerived(alignment, {one}, &added);
    alignment = WithoutDerived(std::move(alignment), {one});
    derived.push_back(one);
  }
  OC_ASSIGN_OR_RETURN(FoundInFrame found,
                      PairInFrame(sides, alignment, added, derived, tools.watch));
  DropDerived(alignment, found.derived, &added);
  derived.insert(derived.end(), found.derived.begin(), found.derived.end());
  alignment = WithPairs(std::move(alignment), added, sides);
  alignment = WithPairs(std::move(alignment), found.pairs, sides);
  alignment.derived = std::move(derived);
  return InOrderOfModel(sides, std::move(alignment));
}

}  // namespace onnxcmp
