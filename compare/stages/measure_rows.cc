#include "compare/stages/measure_rows.h"

#include <cstddef>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "compare/alignment/settle.h"
#include "compare/quantization/pair_dequantizer.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/sorted_elements.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {
namespace {

// True for the same bits, or the same elements in another layout: there is nothing to measure.
bool SameElements(const StreamResult& left, const StreamResult& right, Marks marks) {
  if (left.fingerprint.content == right.fingerprint.content) return true;
  if (Has(marks, Mark::kReshaped)) return left.fingerprint.bits == right.fingerprint.bits;
  return Has(marks, Mark::kTransposed) && left.fingerprint.elements == right.fingerprint.elements;
}

void SetDifference(TensorDifference difference, ComparedRow* row) {
  row->difference = std::make_shared<const TensorDifference>(std::move(difference));
  row->relation = row->difference->values.agree() ? Relation::kClose : Relation::kDifferent;
}

absl::Status MeasureRow(const Value& left, const Value& right, const DifferenceOptions& options,
                        const StepTools& tools, ComparedRow* row) {
  if (Has(row->aligned.marks, Mark::kTransposed)) {
    OC_ASSIGN_OR_RETURN(const Value sorted_left, SortedElements(left));
    OC_ASSIGN_OR_RETURN(const Value sorted_right, SortedElements(right));
    SetDifference(TensorDifferenceOf(sorted_left, sorted_right, options, tools.pool), row);
  } else {
    SetDifference(TensorDifferenceOf(left, right, options, tools.pool), row);
    if (tools.pictures != nullptr) {
      row->picture = tools.pictures->Take(left, right, *row->difference);
    }
  }
  return absl::OkStatus();
}

// `known`: returns the earlier row for a row of the alignment, or null.
absl::StatusOr<std::vector<ComparedRow>> RowsOf(
    const PerSide<RecordedSide>& sides, const Alignment& alignment,
    const PairTolerances& tolerances, const EarlyDifferences& early, const StepTools& tools,
    absl::FunctionRef<const ComparedRow*(size_t)> known) {
  const auto options_of = [&](const ResultPair& pair) {
    DifferenceOptions options;
    options.tolerance = tolerances.Of(pair.left, pair.right).tolerances;
    // Recorded results count as outputs do.
    options.parts = sides.left.stream->recorded || sides.right.stream->recorded;
    return options;
  };
  std::vector<ComparedRow> rows;
  rows.reserve(alignment.rows.size());
  std::vector<ResultPair> pairs;
  std::vector<size_t> row_of;  // by pair
  for (size_t i = 0; i < alignment.rows.size(); ++i) {
    const AlignedRow& aligned = alignment.rows[i];
    if (known(i) != nullptr) {
      rows.push_back(*known(i));
      continue;
    }
    ComparedRow& row = rows.emplace_back();
    row.aligned = aligned;
    if (!aligned.paired()) {
      row.relation = aligned.right.empty() ? Relation::kLeftOnly : Relation::kRightOnly;
      continue;
    }
    const ResultPair pair = {aligned.left.back(), aligned.right.back()};
    const StreamResult& left = sides.left.result(pair.left);
    const StreamResult& right = sides.right.result(pair.right);
    if (SameElements(left, right, aligned.marks)) continue;
    const TensorDifference* measured =
        Has(aligned.marks, Mark::kTransposed)
            ? nullptr
            : early.Find(left.fingerprint.content, right.fingerprint.content, options_of(pair));
    if (measured != nullptr) {
      SetDifference(*measured, &row);
      row.picture = early.PictureOf(left.fingerprint.content, right.fingerprint.content);
      continue;
    }
    pairs.push_back(pair);
    row_of.push_back(i);
  }
  if (pairs.empty()) return rows;
  PairValues values(sides, tools.keep_values, tools.watch);
  PairDequantizer stood_for(sides);
  OC_RETURN_IF_ERROR(stood_for.Fetch(pairs, tools.watch));
  OC_RETURN_IF_ERROR(
      values.ForEach(pairs, [&](size_t i, const Value& own_left, const Value& own_right) {
        const auto [left, right] = stood_for.Comparable(pairs[i], own_left, own_right);
        return MeasureRow(left, right, options_of(pairs[i]), tools, &rows[row_of[i]]);
      }));
  return rows;
}

}  // namespace

absl::StatusOr<MeasuredRows> MeasureRows(const PerSide<RecordedSide>& sides, Alignment alignment,
                                         const PairTolerances& tolerances,
                                         const EarlyDifferences& early, const StepTools& tools) {
  OC_ASSIGN_OR_RETURN(std::vector<ComparedRow> rows, RowsOf(sides, alignment, tolerances, early,
                                                            tools, [](size_t) { return nullptr; }));
  return MeasuredRows{std::move(alignment), std::move(rows)};
}

absl::StatusOr<MeasuredRows> AddPairs(const PerSide<RecordedSide>& sides, MeasuredRows measured,
                                      std::vector<Claim> repaired, const PairTolerances& tolerances,
                                      const EarlyDifferences& early, const StepTools& tools) {
  if (repaired.empty()) return measured;
  Settled settled = Settle(measured.alignment, &repaired, *sides.left.stream, *sides.right.stream);
  const auto known = [&](size_t i) {
    const int row = settled.before[i];
    return row == kNone ? nullptr : &measured.rows[Index(row)];
  };
  OC_ASSIGN_OR_RETURN(std::vector<ComparedRow> rows,
                      RowsOf(sides, settled.alignment, tolerances, early, tools, known));
  return MeasuredRows{std::move(settled.alignment), std::move(rows)};
}

}  // namespace onnxcmp
