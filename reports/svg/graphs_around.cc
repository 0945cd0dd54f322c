#include "reports/svg/graphs_around.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/distinct_names.h"
#include "reports/layout/letters.h"
#include "reports/words/result_words.h"

namespace onnxcmp {
namespace {

constexpr int kMostLetters = 30;  // in a line of a box

// A unit is what a box stands for, by one of its results: of a node the first that it gives.
class Units {
 public:
  explicit Units(const Comparison& comparison) : comparison_(comparison) {
    for (const SideId side : kBothSides) {
      const ResultStream& stream = OfSide(comparison, side);
      rows_[side].assign(stream.results.size(), nullptr);
      readers_[side].resize(stream.results.size());
      for (const ComparedRow& row : comparison.rows) {
        for (const int r : OfSide(row.aligned, side)) rows_[side][Index(r)] = &row;
      }
      for (size_t i = 0; i < stream.results.size(); ++i) {
        const int unit = static_cast<int>(i);
        if (Of(side, unit) != unit) continue;
        for (const int read : ReadBy(side, unit)) readers_[side][Index(read)].push_back(unit);
      }
    }
  }

  int Of(SideId side, int result) const {
    if (result == kNone) return kNone;
    const ResultStream& stream = OfSide(comparison_, side);
    const int node = stream.results[Index(result)].node;
    if (node == kNone) return result;
    for (const int output : stream.nodes[Index(node)].outputs) {
      if (output != kNone) return output;
    }
    return result;
  }

  const ComparedRow* RowOf(SideId side, int unit) const { return rows_[side][Index(unit)]; }

  // Constants stand in no box of their own unless they differ.
  bool IsDrawn(SideId side, int unit) const {
    const ResultStream& stream = OfSide(comparison_, side);
    const StreamResult& result = stream.results[Index(unit)];
    if (result.kind != ResultKind::kInitializer && OpTypeOf(result, stream) != "Constant") {
      return true;
    }
    const ComparedRow* row = RowOf(side, unit);
    return IsCause(side, unit) || (row != nullptr && row->relation == Relation::kDifferent);
  }

  bool IsCause(SideId side, int unit) const {
    return absl::c_any_of(comparison_.causes, [&](const Cause& cause) {
      return Of(side, OfSide(cause, side)) == unit;
    });
  }

  // Absorbed by the pair of its row: fused into another, or folded.
  bool IsAbsorbed(SideId side, int unit) const {
    const ComparedRow* row = RowOf(side, unit);
    return row != nullptr && row->aligned.paired() &&
           Of(side, OfSide(row->aligned, side).back()) != unit;
  }

  int PartnerOf(SideId side, int unit) const {
    const ComparedRow* row = RowOf(side, unit);
    if (row == nullptr || !row->aligned.paired() || IsAbsorbed(side, unit)) return kNone;
    return Of(Other(side), OfSide(row->aligned, Other(side)).back());
  }

  // Units that it reads from.
  std::vector<int> ReadBy(SideId side, int unit) const {
    const ResultStream& stream = OfSide(comparison_, side);
    const StreamResult& result = stream.results[Index(unit)];
    std::vector<int> read;
    const auto add = [&](int from) {
      const int of = Of(side, from);
      if (of != kNone && !absl::c_linear_search(read, of)) read.push_back(of);
    };
    if (result.source != kNone) add(result.source);
    if (result.node == kNone) return read;
    const StreamNode& node = stream.nodes[Index(result.node)];
    for (const int from : node.inputs) add(from);
    for (const int from : node.captures) add(from);
    return read;
  }

  const std::vector<int>& ReadersOf(SideId side, int unit) const {
    return readers_[side][Index(unit)];
  }

 private:
  const Comparison& comparison_;
  PerSide<std::vector<const ComparedRow*>> rows_;
  PerSide<std::vector<std::vector<int>>> readers_;
};

using Chosen = PerSide<std::map<int, int>>;  // units, and their boxes

Chosen ChooseUnits(const Units& units, const PerSide<int>& begin, size_t most) {
  struct Step {
    SideId side;
    int unit;
    int steps;
  };
  std::deque<Step> next;
  Chosen chosen;
  for (const SideId side : kBothSides) {
    if (begin[side] != kNone) next.push_back({side, units.Of(side, begin[side]), 0});
  }
  while (!next.empty()) {
    const auto [side, unit, steps] = next.front();
    next.pop_front();
    if (chosen[side].size() >= most || !units.IsDrawn(side, unit)) continue;
    if (!chosen[side].emplace(unit, 0).second) continue;
    // Both sides show the same part of the models.
    const int partner = units.PartnerOf(side, unit);
    if (partner != kNone) next.push_front({Other(side), partner, steps});
    if (steps == 2) continue;
    for (const int read : units.ReadBy(side, unit)) next.push_back({side, read, steps + 1});
    const std::vector<int>& readers = units.ReadersOf(side, unit);
    // More readers than three would fill the picture.
    for (size_t i = 0; i < std::min<size_t>(readers.size(), 3); ++i) {
      next.push_back({side, readers[i], steps + 1});
    }
  }
  return chosen;
}

// Attributes of a cause in which its nodes differ, as the side has them.
void AddAttributes(const Comparison& comparison, const Units& units, SideId side, int unit,
                   std::vector<std::string>* lines) {
  int room = 3;
  for (const Cause& cause : comparison.causes) {
    if (units.Of(side, OfSide(cause, side)) != unit) continue;
    for (const AttributePair& pair : cause.attributes) {
      const std::string& value = OfSide(pair, side);
      if (!pair.differs || value.empty() || room-- <= 0) continue;
      lines->push_back(
          ShortenEnd(PrintableText(absl::StrCat(pair.name, " = ", value)), kMostLetters, "…"));
    }
    return;
  }
}

BoxAround BoxOf(const Comparison& comparison, const Units& units, SideId side, int unit) {
  const ResultStream& stream = OfSide(comparison, side);
  const StreamResult& result = stream.results[Index(unit)];
  const ComparedRow* row = units.RowOf(side, unit);
  BoxAround box;
  box.is_node = result.node != kNone;
  box.is_cause = units.IsCause(side, unit);
  const bool alone = row == nullptr || !row->aligned.paired() || units.IsAbsorbed(side, unit);
  box.relation = !alone                  ? row->relation
                 : side == SideId::kLeft ? Relation::kLeftOnly
                                         : Relation::kRightOnly;
  if (!alone && row->relation != Relation::kSame) {
    box.error = kRelationSigns[static_cast<size_t>(row->relation)];
    if (row->difference != nullptr) {
      absl::StrAppend(&box.error, " ", GreatestDifference(*row->difference, result.dtype));
    }
  }
  box.lines = {ShortenEnd(PrintableText(WhatMade(stream, unit)), kMostLetters, "…"),
               PrintableText(PathAndName(stream, unit))};
  AddAttributes(comparison, units, side, unit, &box.lines);
  box.lines.push_back(ShortenEnd(PrintableText(ShortType(result)), kMostLetters, "…"));
  return box;
}

// All drawn names in the width of a box.
void ShortenAroundNames(PerSide<GraphAround>* sides) {
  std::vector<std::string*> places;
  std::vector<std::string> names;
  for (const SideId side : kBothSides) {
    for (BoxAround& box : (*sides)[side].boxes) {
      places.push_back(&box.lines[1]);
      names.push_back(box.lines[1]);
    }
  }
  names = ShortenApart(names, kMostLetters, "…");
  for (size_t i = 0; i < names.size(); ++i) *places[i] = std::move(names[i]);
}

}  // namespace

GraphsAround AroundPair(const Comparison& comparison, int left, int right, size_t most) {
  const Units units(comparison);
  Chosen chosen = ChooseUnits(units, {left, right}, most);
  GraphsAround around;
  for (const SideId side : kBothSides) {
    GraphAround& graph = around.sides[side];
    // Results stand in the order of the run.
    for (auto& [unit, box] : chosen[side]) {
      box = static_cast<int>(graph.boxes.size());
      graph.boxes.push_back(BoxOf(comparison, units, side, unit));
    }
    for (const auto& [unit, box] : chosen[side]) {
      for (const int read : units.ReadBy(side, unit)) {
        const auto it = chosen[side].find(read);
        if (it != chosen[side].end()) graph.lines.push_back({it->second, box});
      }
      graph.boxes[Index(box)].more_readers = absl::c_count_if(
          units.ReadersOf(side, unit), [&](int reader) { return !chosen[side].contains(reader); });
    }
  }
  ShortenAroundNames(&around.sides);
  for (const auto& [unit, box] : chosen[SideId::kLeft]) {
    const auto it = chosen[SideId::kRight].find(units.PartnerOf(SideId::kLeft, unit));
    if (it != chosen[SideId::kRight].end()) around.pairs.push_back({box, it->second});
  }
  return around;
}

}  // namespace onnxcmp
