#include "reports/words/change_words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/outcome/model_changes.h"
#include "compare/outcome/verdict.h"
#include "record/base/per_side.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/words/row_selection.h"

namespace onnxcmp {
namespace {

// Changes of one label by their text, the most frequent first. `times`: written as "2 × a".
std::vector<Change> Sorted(const std::string& label, bool times,
                           std::map<std::string, Change> by_text) {
  std::vector<Change> changes;
  for (auto& [text, change] : by_text) {
    change.label = label;
    change.what = text;
    change.one_of_many = true;
    change.counted =
        change.count == 1 && times
            ? text
            : absl::StrCat(change.count, kNoBreak, times ? "×" : "", times ? kNoBreak : "", text);
    changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.count > b.count; });
  return changes;
}

void AddRow(size_t row, Change* change) {
  ++change->count;
  change->rows.push_back(row);
}

void Add(std::vector<Change> some, std::vector<Change>* all) {
  std::move(some.begin(), some.end(), std::back_inserter(*all));
}

// Of kinds of changes those that occur.
void Append(std::vector<Change> some, std::vector<Change>* all) {
  std::erase_if(some, [](const Change& change) { return change.count == 0; });
  Add(std::move(some), all);
}

// Fusions where one operator became several, or all others.
std::vector<Change> Fused(const Comparison& comparison, const std::vector<FusedRows>& fusions,
                          bool split) {
  std::map<std::string, Change> by_text;
  for (const FusedRows& fusion : fusions) {
    if ((fusion.left.size() == 1) != split) continue;
    Change& change = by_text[FusedRowsText(comparison, fusion)];
    ++change.count;
    change.rows.insert(change.rows.end(), fusion.rows.begin(), fusion.rows.end());
  }
  return Sorted(split ? "split" : "fused", /*times=*/true, std::move(by_text));
}

bool IsLeaf(const StreamResult& result) {
  return result.kind == ResultKind::kInitializer || result.kind == ResultKind::kInput;
}

// The changes that the marks of pairs tell.
std::vector<Change> Marked(const Comparison& comparison) {
  const std::array<std::pair<Mark, const char*>, 4> kinds = {{{Mark::kMerged, "merged with others"},
                                                              {Mark::kMoved, "moved"},
                                                              {Mark::kReshaped, "reshaped"},
                                                              {Mark::kTransposed, "transposed"}}};
  std::vector<Change> changes(2 + kinds.size());
  changes[0].what = "folded into constants on the right";
  changes[1].what = "folded into constants on the left";
  std::map<std::string, Change> casts;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedRow& row = comparison.rows[i].aligned;
    if (!row.paired()) continue;
    const StreamResult& l = comparison.left.results[Index(row.left.back())];
    const StreamResult& r = comparison.right.results[Index(row.right.back())];
    if (Has(row.marks, Mark::kFolded)) AddRow(i, &changes[IsLeaf(r) || !IsLeaf(l) ? 0 : 1]);
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      changes[2 + kind].what = kinds[kind].second;
      if (Has(row.marks, kinds[kind].first)) AddRow(i, &changes[2 + kind]);
    }
    if (!Has(row.marks, Mark::kCast)) continue;
    AddRow(i, &casts[absl::StrCat("cast ", ShortDType(l.dtype), "→", ShortDType(r.dtype))]);
  }
  for (auto& [what, change] : casts) {
    changes.push_back(std::move(change));
    changes.back().what = what;
  }
  for (Change& change : changes) {
    change.label = "changed";
    change.counted = absl::StrCat(change.count, " ", change.what);
  }
  return changes;
}

// Results of one side only: constants and the like, computed ones by their operators.
std::vector<Change> OneSided(const Comparison& comparison, SideId side) {
  const std::string label = absl::StrCat("only ", SideName(side));
  std::array<Change, 4> kinds;
  Change further;
  std::map<std::string, Change> operators;
  const Relation relation = side == SideId::kLeft ? Relation::kLeftOnly : Relation::kRightOnly;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (row.relation != relation) continue;
    const ResultStream& stream = OfSide(comparison, side);
    const StreamResult& result = stream.results[Index(OfSide(row.aligned, side).back())];
    const std::string op = PrintableText(OpTypeOf(result, stream));
    AddRow(i, IsFurtherOutput(comparison, row) ? &further
              : op.empty()                     ? &kinds[static_cast<size_t>(result.kind)]
                                               : &operators[op]);
  }
  const auto name = [&](const char* noun, const char* after, Change* change) {
    change->label = label;
    change->what = absl::StrCat(noun, after);
    change->counted = absl::StrCat(Count(change->count, noun), after);
  };
  constexpr std::array<const char*, 4> kNouns = {"initializer", "input", "result", "output"};
  for (size_t kind = 0; kind < kinds.size(); ++kind) name(kNouns[kind], "", &kinds[kind]);
  name("further output", " of operators that are on both sides", &further);
  std::vector<Change> changes(kinds.begin(), kinds.end());
  Append(Sorted(label, /*times=*/false, std::move(operators)), &changes);
  changes.push_back(std::move(further));
  return changes;
}

Change WithoutPlaces(const char* label, const std::string& text) {
  Change change;
  change.label = label;
  change.what = text;
  change.counted = text;
  return change;
}

// How many nodes there are, and of which operators; nothing if that is the same.
std::vector<Change> Nodes(const Comparison& comparison) {
  const ModelChanges counts = CountChanges(comparison);
  if (counts.left_nodes == counts.right_nodes && counts.operators.empty() && counts.renamed == 0 &&
      counts.constants == 0 && counts.attributes == 0) {
    return {};
  }
  return {WithoutPlaces("nodes", CountsText(counts))};
}

std::vector<Change> Order(const Comparison& comparison) {
  if (!comparison.alignment.reordered) return {};
  return {WithoutPlaces("changed", comparison.left.recorded != comparison.right.recorded
                                       ? "the recording is in a different order from the model"
                                       : "the right side lists its nodes in a different order")};
}

}  // namespace

std::vector<Change> FindChanges(const Comparison& comparison,
                                const std::vector<FusedRows>& fusions) {
  std::vector<Change> changes = Nodes(comparison);
  Append(Fused(comparison, fusions, false), &changes);
  Append(Fused(comparison, fusions, true), &changes);
  Append(Marked(comparison), &changes);
  Add(Order(comparison), &changes);
  for (const SideId side : kBothSides) Append(OneSided(comparison, side), &changes);
  return changes;
}

std::vector<Change> WhatChanged(const Comparison& comparison) {
  if (comparison.verdict() == Verdict::kFailed || comparison.left.recorded ||
      comparison.right.recorded) {
    return {};
  }
  return FindChanges(comparison, FindFusedRows(comparison));
}

std::vector<std::pair<std::string, std::string>> ChangeLines(const std::vector<Change>& changes) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::vector<std::string> kinds;  // of the last line
  const auto end_kinds = [&] {
    CutList(&kinds, 8, "other kinds");
    if (kinds.empty()) return;
    std::string& line = lines.back().second;
    absl::StrAppend(&line, line.empty() ? "" : ", ", absl::StrJoin(kinds, ", "));
    kinds.clear();
  };
  for (const Change& change : changes) {
    const bool begins = lines.empty() || lines.back().first != change.label;
    if (begins || !change.one_of_many) end_kinds();
    if (begins) lines.emplace_back(change.label, "");
    if (change.one_of_many) {
      kinds.push_back(change.counted);
      continue;
    }
    std::string& line = lines.back().second;
    absl::StrAppend(&line, line.empty() ? "" : change.count == 0 ? "; " : ", ", change.counted);
  }
  end_kinds();
  return lines;
}

std::string ChangesText(const Comparison& comparison, const std::vector<FusedRows>& fusions) {
  std::vector<std::string> parts;
  for (const auto& [label, text] : ChangeLines(FindChanges(comparison, fusions))) {
    if (label == "nodes") continue;
    const bool alone = label == "only left" || label == "only right";
    parts.push_back(alone ? absl::StrCat(label, ": ", text) : text);
  }
  return absl::StrJoin(parts, "; ");
}

bool ChangesComeFirst(const Comparison& comparison) {
  const Verdict judged = comparison.verdict();
  return (judged == Verdict::kSame || judged == Verdict::kClose) && AreTwoModels(comparison);
}

}  // namespace onnxcmp
