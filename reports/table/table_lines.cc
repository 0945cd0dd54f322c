#include "reports/table/table_lines.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "prove/rewrites.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/module_headings.h"
#include "reports/table/table_folds.h"
#include "reports/words/result_words.h"
#include "reports/words/row_selection.h"

namespace onnxcmp {
namespace {

using Rows = TableOptions::Rows;

// Limit of the rows in the folded view. With fold lines, head and foot, that is about a screen.
// Limit of the inner results of a fused region with lines of their own in the folded view.
constexpr size_t kMostInner = 3;

class LineMaker {
 public:
  LineMaker(const Comparison& comparison, const std::vector<FusedRows>& fusions, Rows rows)
      : comparison_(comparison), facts_(FactsOf(comparison)), rows_(rows) {
    for (const FusedRows& fusion : fusions) {
      for (const size_t row : fusion.rows) fusion_of_row_.try_emplace(row, &fusion);
    }
    FindPlaces();
    FindFirst();
  }

  std::vector<TableLine> Make() {
    const std::vector<bool> shown = Shown();
    TableFolds folds(comparison_, facts_);
    const size_t count = comparison_.rows.size();
    for (size_t i = 0; i < count;) {
      if (shown[i]) {
        AddRow(i);
        folds.Saw(comparison_.rows[i].relation);
        ++i;
        continue;
      }
      size_t end = i;
      while (end < count && !shown[end]) ++end;
      if (rows_ == Rows::kFolded) {
        // One row is as long as the line that would replace it.
        if (end - i == 1 && !IsTrifleAlone(comparison_.rows[i]) &&
            FaceOf(comparison_, comparison_.rows[i]).kind == ResultKind::kResult) {
          AddRow(i);
        } else {
          lines_.push_back(folds.Fold(i, end));
          previous_ = {kNone, kNone};
        }
      } else {
        previous_ = {kNone, kNone};
      }
      i = end;
    }
    AddModuleHeadings(comparison_, &lines_);
    return std::move(lines_);
  }

 private:
  std::vector<bool> Shown() const {
    if (rows_ == Rows::kFolded) return SelectRows(comparison_, facts_, work_bounds::kRows);
    std::vector<bool> shown(comparison_.rows.size(), true);
    if (rows_ == Rows::kAll) return shown;
    for (size_t i = 0; i < shown.size(); ++i) {
      const Relation relation = comparison_.rows[i].relation;
      shown[i] = rows_ == Rows::kOnlyDifferent
                     ? relation == Relation::kDifferent
                     : facts_.cause[i] != kNone ||
                           (relation != Relation::kSame && relation != Relation::kClose);
    }
    return shown;
  }

  // Two recordings cannot run, so the first row that differs stands for the cause.
  void FindFirst() {
    if (!comparison_.left.recorded || !comparison_.right.recorded) return;
    for (size_t i = 0; i < comparison_.rows.size() && !first_.has_value(); ++i) {
      const ComparedRow& row = comparison_.rows[i];
      if (row.aligned.paired() && row.relation == Relation::kDifferent) first_ = i;
    }
  }

  // A constant, a shape or the like that one side alone has.
  bool IsTrifleAlone(const ComparedRow& row) const {
    if (row.aligned.paired()) return false;
    return IsTrifle(FaceOf(comparison_, row),
                    row.aligned.left.empty() ? comparison_.right : comparison_.left);
  }

  // For each result of the right, the previous one that is at the same place on both sides.
  void FindPlaces() {
    behind_.assign(comparison_.right.results.size(), kNone);
    int last = kNone;
    for (size_t r = 0; r < behind_.size(); ++r) {
      behind_[r] = last;
      const int row = facts_.of_right[r];
      if (row == kNone || comparison_.right.results[r].kind != ResultKind::kResult) continue;
      const AlignedRow& aligned = comparison_.rows[Index(row)].aligned;
      if (aligned.paired() && !Has(aligned.marks, Mark::kMoved)) last = row;
    }
  }

  // A heading if the rows below have another path than those above.
  void AddHeading(const AlignedRow& row) {
    const auto path = [](absl::Span<const int> results, const ResultStream& stream,
                         const std::string& current) {
      if (results.empty()) return current;
      const StreamResult& result = stream.results[Index(results.back())];
      return result.kind == ResultKind::kOutput ? std::string() : result.path;
    };
    std::string left = path(row.left, comparison_.left, left_path_);
    std::string right = path(row.right, comparison_.right, right_path_);
    if (left == left_path_ && right == right_path_) return;
    left_path_ = std::move(left);
    right_path_ = std::move(right);
    // Rows of one side keep the other side's path.
    std::string text = left_path_ == right_path_ || row.right.empty() ? left_path_
                       : row.left.empty()                             ? right_path_
                       : right_path_.empty() ? absl::StrCat("left: ", left_path_)
                       : left_path_.empty()  ? absl::StrCat("right: ", right_path_)
                                             : absl::StrCat(left_path_, " | ", right_path_);
    if (text.empty()) text = "main graph";
    if (text == heading_) return;
    heading_ = text;
    TableLine line;
    line.kind = TableLine::Kind::kHeading;
    line.text = absl::StrCat("── ", PrintableText(text), " ──");
    lines_.push_back(std::move(line));
    previous_ = {kNone, kNone};
  }

  void AddRow(size_t i) {
    const ComparedRow& row = comparison_.rows[i];
    AddHeading(row.aligned);
    for (const SideId side : kBothSides) AddInner(row, side);
    TableLine line;
    line.number = static_cast<int64_t>(i);
    line.sign = row.relation;
    if (comparison_.proof != nullptr) line.proof = RowProofOf(comparison_, i);
    line.cause = facts_.cause[i] != kNone;
    for (const SideId side : kBothSides) FillSide(OfSide(row.aligned, side), side, &line);
    line.cell(TableColumn::kType) = ShortType(FaceOf(comparison_, row));
    if (row.difference != nullptr) FillDifference(row, &line);
    if (comparison_.shadow.has_value()) FillTruth(row, &line);
    line.cell(TableColumn::kNotes) = Notes(i);
    lines_.push_back(std::move(line));
  }

  std::string CauseNote(int cause) const {
    const bool recorded = comparison_.left.recorded || comparison_.right.recorded;
    if (recorded && comparison_.causes.size() > 1) {
      return absl::StrCat("← begins here, cause ", cause + 1);
    }
    return comparison_.causes.size() == 1 ? "← begins here" : absl::StrCat("← cause ", cause + 1);
  }

  // The note for a result without a row; empty if no cause begins there.
  std::string CauseInside(int result, SideId side) const {
    for (size_t c = 0; c < comparison_.causes.size(); ++c) {
      const Cause& cause = comparison_.causes[c];
      const bool begins = cause.right == kNone ? side == SideId::kLeft && cause.left == result
                                               : side == SideId::kRight && cause.right == result;
      const bool has_row = cause.left != kNone && facts_.of_left[Index(cause.left)] != kNone;
      const std::vector<int>& rows = side == SideId::kLeft ? facts_.of_left : facts_.of_right;
      if (begins && !has_row && rows[Index(result)] == kNone) return CauseNote(static_cast<int>(c));
    }
    return std::string();
  }

  // The results absorbed by a side's last one.
  void AddInner(const ComparedRow& row, SideId side) {
    const FewResults& results = OfSide(row.aligned, side);
    const ResultStream& stream = OfSide(comparison_, side);
    const Relation sign = side == SideId::kLeft ? Relation::kLeftOnly : Relation::kRightOnly;
    if (results.size() < 2) return;
    const size_t inner = results.size() - 1;
    const bool only_causes = rows_ == Rows::kDifferent || rows_ == Rows::kOnlyDifferent ||
                             (rows_ == Rows::kFolded && !Has(row.aligned.marks, Mark::kFused));
    const size_t first = only_causes                                      ? 0
                         : rows_ == Rows::kAll || inner <= kMostInner + 1 ? inner
                                                                          : kMostInner;
    size_t shown = 0;
    for (size_t k = 0; k < inner; ++k) {
      const std::string cause = CauseInside(results[k], side);
      if (k >= first && cause.empty()) continue;
      // Constants and shapes say little; the line below counts them.
      if (rows_ == Rows::kFolded && cause.empty() &&
          IsTrifle(stream.results[Index(results[k])], stream)) {
        continue;
      }
      ++shown;
      TableLine line;
      line.kind = TableLine::Kind::kInner;
      line.sign = sign;
      FillSide({results[k]}, side, &line);
      line.cell(TableColumn::kType) = ShortType(stream.results[Index(results[k])]);
      line.cause = !cause.empty();
      line.cell(TableColumn::kNotes) = line.cause ? absl::StrCat(cause, ", into ↓") : "into ↓";
      lines_.push_back(std::move(line));
    }
    if (shown == inner || only_causes) return;
    TableLine line;
    line.kind = TableLine::Kind::kFold;
    line.sign = sign;
    line.text = absl::StrCat(inner - shown, " more go into ↓");
    lines_.push_back(std::move(line));
  }

  void FillSide(absl::Span<const int> results, SideId side, TableLine* line) {
    if (results.empty()) return;
    constexpr PerSide<TableColumn> kOps = {TableColumn::kLeftOp, TableColumn::kRightOp};
    constexpr PerSide<TableColumn> kNames = {TableColumn::kLeftName, TableColumn::kRightName};
    int& previous = previous_[side];
    const ResultStream& stream = OfSide(comparison_, side);
    const StreamResult& result = stream.results[Index(results.back())];
    // A further output of the node above.
    const bool again = result.node != kNone && previous != kNone && previous != results.back() &&
                       stream.results[Index(previous)].node == result.node;
    previous = results.back();
    line->cell(kOps[side]) = again ? "└" : WhatMade(stream, results.back());
    line->cell(kNames[side]) = PrintableText(result.name);
  }

  void FillDifference(const ComparedRow& row, TableLine* line) const {
    const TensorDifference& difference = *row.difference;
    const StreamResult& face = FaceOf(comparison_, row);
    line->cell(TableColumn::kAbsolute) = GreatestDifference(difference, face.dtype);
    if (!difference.values.reason.empty()) return;
    if (face.dtype != DType::kString && face.dtype != DType::kBool &&
        difference.non_finite_disagree == 0) {
      line->cell(TableColumn::kRelative) = TwoDigits(difference.values.max_relative);
      if (!IsInteger(face.dtype)) line->cell(TableColumn::kUlp) = UlpText(difference.max_ulp);
    }
    if (difference.values.beyond > 0) {
      line->cell(TableColumn::kBeyond) =
          absl::StrCat(difference.values.beyond, "/", difference.values.elements);
    }
  }

  void FillTruth(const ComparedRow& row, TableLine* line) const {
    const auto text = [](const SideShadow& shadow, absl::Span<const int> results) {
      if (results.empty() || Index(results.back()) >= shadow.distances.size()) return std::string();
      const std::optional<TruthDistance>& distance = shadow.distances[Index(results.back())];
      if (!distance.has_value()) return std::string();
      return shadow.misleading[Index(results.back())] ? "?" : TwoDigits(distance->max_absolute);
    };
    const std::string left = text(comparison_.shadow->left, row.aligned.left);
    const std::string right = text(comparison_.shadow->right, row.aligned.right);
    if (left.empty() && right.empty()) return;
    line->cell(TableColumn::kTruth) =
        absl::StrCat(left.empty() ? "-" : left, " | ", right.empty() ? "-" : right);
  }

  std::string Notes(size_t i) const {
    const ComparedRow& row = comparison_.rows[i];
    const Marks marks = row.aligned.marks;
    std::vector<std::string> notes;
    if (facts_.cause[i] != kNone) {
      notes.push_back(CauseNote(facts_.cause[i]));
    } else if (i == first_) {
      notes.push_back("← the first that differs");
    }
    if (comparison_.shadow.has_value() && comparison_.shadow->rows[i].has_value() &&
        comparison_.shadow->rows[i]->nearer != Nearer::kEqual) {
      notes.push_back(absl::StrCat("truth: ", NearerName(comparison_.shadow->rows[i]->nearer)));
    }
    const auto fusion = fusion_of_row_.find(i);
    if (fusion != fusion_of_row_.end()) {
      const FusedRows& group = *fusion->second;
      if (group.rows.back() == i) {
        notes.push_back(absl::StrCat(group.left.size() == 1 ? "split " : "fused ",
                                     group.left.size(), "→", group.right.size()));
      }
    } else if (Has(marks, Mark::kFused)) {
      // The same operators on both sides, with no pairs in between.
      notes.push_back("differs inside");
    }
    if (row.aligned.paired()) {
      const StreamResult& a = comparison_.left.results[Index(row.aligned.left.back())];
      const StreamResult& b = comparison_.right.results[Index(row.aligned.right.back())];
      if (Has(marks, Mark::kFolded)) notes.push_back("folded");
      if (Has(marks, Mark::kMerged)) notes.push_back("merged");
      if (Has(marks, Mark::kCast)) notes.push_back(absl::StrCat("cast →", ShortDType(b.dtype)));
      const std::string to = a.shape == b.shape || !b.shape.has_value()
                                 ? ""
                                 : absl::StrCat(" →", ShortShape(*b.shape));
      if (Has(marks, Mark::kReshaped)) notes.push_back(absl::StrCat("reshaped", to));
      if (Has(marks, Mark::kTransposed)) notes.push_back(absl::StrCat("transposed", to));
      if (Has(marks, Mark::kMoved)) notes.push_back(Moved(i));
      if (Has(marks, Mark::kRepaired)) notes.push_back("repaired");
      if (Has(marks, Mark::kNamed)) notes.push_back("paired by name");
      if (Has(marks, Mark::kPlaced)) notes.push_back("paired by place");
      if (Has(marks, Mark::kGiven)) notes.push_back("paired by --pair");
      for (const StreamResult* const result : {&a, &b}) {
        if (result->recorded_as.empty()) continue;
        notes.push_back(absl::StrCat("recorded as ", result->recorded_as));
      }
      if (Has(marks, Mark::kEntry)) notes.push_back("one entry of the first axis");
      if (row.difference != nullptr && !row.difference->values.reason.empty()) {
        notes.push_back(PrintableText(row.difference->values.reason));
      }
    }
    return absl::StrJoin(notes, ", ");
  }

  std::string Moved(size_t i) const {
    const int before = behind_[Index(comparison_.rows[i].aligned.right.back())];
    if (before == kNone) return "moved ↑ to the front";
    const AlignedRow& row = comparison_.rows[Index(before)].aligned;
    return absl::StrCat("moved ", Index(before) > i ? "↓" : "↑", " after ",
                        PrintableText(comparison_.left.results[Index(row.left.back())].name));
  }

  const Comparison& comparison_;
  const RowFacts facts_;
  const Rows rows_;
  absl::flat_hash_map<size_t, const FusedRows*> fusion_of_row_;
  std::optional<size_t> first_;  // row of two recordings, the first that differs
  std::vector<int> behind_;      // by right result: a row
  std::vector<TableLine> lines_;
  std::string left_path_, right_path_;
  std::string heading_ = "main graph";
  PerSide<int> previous_ = {kNone, kNone};  // results of the line above
};

}  // namespace

std::vector<TableLine> MakeTableLines(const Comparison& comparison,
                                      const std::vector<FusedRows>& fusions, Rows rows) {
  return LineMaker(comparison, fusions, rows).Make();
}

}  // namespace onnxcmp
