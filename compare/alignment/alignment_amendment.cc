#include "compare/alignment/alignment_amendment.h"

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "record/base/per_side.h"

namespace onnxcmp {
namespace {

// By result: the row where it is the last of its side, kNone if it is absorbed. A merged result
// owns the row that repeats its partner.
std::vector<int> OwnRows(const Alignment& alignment, SideId id, size_t results) {
  std::vector<int> rows(results, kNone);
  for (const bool merged : {false, true}) {
    for (size_t i = 0; i < alignment.rows.size(); ++i) {
      const AlignedRow& row = alignment.rows[i];
      const FewResults& side = OfSide(row, id);
      if (side.empty() || Has(row.marks, Mark::kMerged) != merged) continue;
      int& own = rows[Index(side.back())];
      if (own == kNone) own = static_cast<int>(i);
    }
  }
  return rows;
}

// The row of an added pair.
AlignedRow RowOf(const AddedPair& pair, const ResultStream& left, const ResultStream& right) {
  AlignedRow row = {{pair.left}, {pair.right}, static_cast<Marks>(pair.how)};
  const auto mark = [&](Mark one) {
    row.marks = static_cast<Marks>(row.marks | static_cast<Marks>(one));
  };
  if (pair.shared) mark(Mark::kMerged);
  if (left.results[Index(pair.left)].dtype != right.results[Index(pair.right)].dtype) {
    mark(Mark::kCast);
  }
  return row;
}

}  // namespace

Amended Amend(const Alignment& alignment, const std::vector<AddedPair>& pairs,
              const ResultStream& left, const ResultStream& right) {
  const std::vector<int> left_rows = OwnRows(alignment, SideId::kLeft, left.results.size());
  const std::vector<int> right_rows = OwnRows(alignment, SideId::kRight, right.results.size());
  absl::flat_hash_map<int, int> by_left;
  absl::flat_hash_map<int, const AddedPair*> how;  // by left result
  absl::flat_hash_map<int, int> by_right;
  absl::flat_hash_map<int, const AddedPair*> alone;  // by right result: it shares a left one
  std::vector<bool> touched(alignment.rows.size());
  for (const AddedPair& pair : pairs) {
    const auto [l, r, mark, shared] = pair;
    if (left_rows[Index(l)] == kNone || right_rows[Index(r)] == kNone) continue;
    // A result whose row another one took shares its partner from then on.
    const bool is_taken = (shared == SideId::kLeft && by_left.contains(l)) ||
                          (shared == SideId::kRight && by_right.contains(r));
    if (left_rows[Index(l)] == right_rows[Index(r)] && !is_taken) continue;
    if (shared == SideId::kLeft) {
      if (by_right.contains(r) || !alone.emplace(r, &pair).second) continue;
      touched[Index(right_rows[Index(r)])] = true;
      continue;
    }
    if (by_left.contains(l) || alone.contains(r) || (!shared && by_right.contains(r))) continue;
    by_left[l] = r;
    how[l] = &pair;
    touched[Index(left_rows[Index(l)])] = true;
    if (shared) continue;
    by_right[r] = l;
    touched[Index(right_rows[Index(r)])] = true;
  }

  Amended amended;
  amended.alignment.left_to_right = alignment.left_to_right;
  amended.alignment.right_to_left = alignment.right_to_left;
  amended.alignment.tentative = alignment.tentative;
  amended.alignment.reordered = alignment.reordered;
  amended.alignment.derived = alignment.derived;
  const auto add = [&](AlignedRow row, int before) {
    amended.alignment.rows.push_back(std::move(row));
    amended.before.push_back(before);
  };
  for (size_t i = 0; i < alignment.rows.size(); ++i) {
    const AlignedRow& row = alignment.rows[i];
    if (!touched[i]) {
      add(row, static_cast<int>(i));
      continue;
    }
    // In a merged row the repeated partner stays.
    const auto is_here = [&](const std::vector<int>& rows, int result) {
      return !Has(row.marks, Mark::kMerged) || rows[Index(result)] == static_cast<int>(i);
    };
    for (const int l : row.left) {
      if (is_here(left_rows, l)) amended.alignment.left_to_right[Index(l)] = kNone;
    }
    for (const int r : row.right) {
      if (is_here(right_rows, r)) amended.alignment.right_to_left[Index(r)] = kNone;
    }
    for (const int l : row.left) {
      if (!is_here(left_rows, l)) continue;
      add(by_left.contains(l) ? RowOf(*how[l], left, right) : AlignedRow{{l}, {}, 0}, kNone);
    }
    for (const int r : row.right) {
      if (!is_here(right_rows, r) || by_right.contains(r)) continue;
      add(alone.contains(r) ? RowOf(*alone[r], left, right) : AlignedRow{{}, {r}, 0}, kNone);
    }
  }
  for (const auto& [l, r] : by_left) {
    amended.alignment.left_to_right[Index(l)] = r;
    if (by_right.contains(r) && by_right[r] == l) amended.alignment.right_to_left[Index(r)] = l;
  }
  for (const auto& [r, pair] : alone) amended.alignment.right_to_left[Index(r)] = pair->left;
  return amended;
}

}  // namespace onnxcmp
