#include "reports/render_dot.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "compare/outcome/verdict.h"
#include "record/base/per_side.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "reports/layout/letters.h"
#include "reports/words/result_words.h"

namespace onnxcmp {
namespace {

constexpr int kMostName = 44;  // columns

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// Lines of a label.
std::string Label(const std::vector<std::string>& lines) {
  std::string label = "\"";
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    absl::StrAppend(&label, label.size() > 1 ? "\\n" : "",
                    absl::StrReplaceAll(line, {{"\\", "\\\\"}, {"\"", "\\\""}}));
  }
  return label + "\"";
}

bool IsConstantOf(const ResultStream& stream, int r) {
  const StreamResult& result = stream.results[Index(r)];
  if (result.kind == ResultKind::kInitializer) return true;
  return OpTypeOf(result, stream) == "Constant";
}

class Drawing {
 public:
  explicit Drawing(const Comparison& comparison) : comparison_(comparison) {
    for (const SideId side : kBothSides) {
      rows_[side].assign(OfSide(comparison, side).results.size(), nullptr);
      for (const ComparedRow& row : comparison.rows) {
        for (const int r : OfSide(row.aligned, side)) rows_[side][Index(r)] = &row;
      }
    }
    for (const Cause& cause : comparison.causes) {
      for (const SideId side : kBothSides) {
        if (OfSide(cause, side) != kNone) causes_[side].push_back(OfSide(cause, side));
      }
    }
  }

  std::string Text() {
    text_ = absl::StrCat(
        "digraph onnxcmp {\n"
        "  graph [newrank=true, fontname=\"sans-serif\", labelloc=t, label=",
        Quoted(absl::StrCat("onnxcmp: ", VerdictName(comparison_.verdict()))),
        "];\n"
        "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n"
        "  edge [color=\"#4f5963\", arrowsize=0.6];\n");
    for (const SideId side : kBothSides) AddSide(side);
    for (const ComparedRow& row : comparison_.rows) AddPair(row);
    return text_ + "}\n";
  }

 private:
  static std::string Id(SideId side, int r) {
    return absl::StrCat(side == SideId::kLeft ? "l" : "r", r);
  }

  const ComparedRow* RowOf(SideId side, int r) const { return rows_[side][Index(r)]; }

  bool IsDrawn(SideId side, int r) const {
    const ComparedRow* row = RowOf(side, r);
    return !IsConstantOf(OfSide(comparison_, side), r) ||
           (row != nullptr && row->aligned.paired() && row->relation != Relation::kSame);
  }

  void AddSide(SideId side) {
    const ResultStream& stream = OfSide(comparison_, side);
    const SideSummary& summary =
        side == SideId::kLeft ? comparison_.left_summary : comparison_.right_summary;
    const std::string& source = summary.source.empty() ? stream.source : summary.source;
    absl::StrAppend(&text_, "  subgraph cluster_", SideName(side), " {\n    label=",
                    Quoted(absl::StrCat(SideName(side), ": ", PrintableText(source))), ";\n");
    for (size_t i = 0; i < stream.results.size(); ++i) {
      if (IsDrawn(side, static_cast<int>(i))) AddResult(side, static_cast<int>(i));
    }
    for (size_t i = 0; i < stream.results.size(); ++i) {
      if (IsDrawn(side, static_cast<int>(i))) AddEdges(side, static_cast<int>(i));
    }
    text_ += "  }\n";
  }

  void AddResult(SideId side, int r) {
    const ResultStream& stream = OfSide(comparison_, side);
    const ComparedRow* row = RowOf(side, r);
    const bool absorbed =
        row != nullptr && row->aligned.paired() && OfSide(row->aligned, side).back() != r;
    const Relation relation =
        row == nullptr || absorbed
            ? (side == SideId::kLeft ? Relation::kLeftOnly : Relation::kRightOnly)
            : row->relation;
    const auto color = static_cast<size_t>(relation);
    std::string difference;
    if (row != nullptr && !absorbed && row->aligned.paired()) {
      difference = kRelationSigns[color];
      if (row->difference != nullptr) {
        absl::StrAppend(&difference, " ",
                        GreatestDifference(*row->difference, stream.results[Index(r)].dtype));
      }
    }
    const std::string name = PrintableText(PathAndName(stream, r));
    const bool cause =
        std::find(causes_[side].begin(), causes_[side].end(), r) != causes_[side].end();
    absl::StrAppend(&text_, "    ", Id(side, r), " [label=",
                    Label({PrintableText(WhatMade(stream, r)), ShortenStart(name, kMostName, "…"),
                           PrintableText(ShortType(stream.results[Index(r)])), difference}),
                    ", color=\"", kRelationColors[color], "\", fillcolor=\"", kRelationFills[color],
                    "\"", absorbed ? ", style=\"filled,dashed\"" : "", cause ? ", penwidth=4" : "",
                    "];\n");
  }

  void AddEdges(SideId side, int r) {
    const ResultStream& stream = OfSide(comparison_, side);
    const StreamResult& result = stream.results[Index(r)];
    std::vector<int> read;
    if (result.source != kNone) {
      read.push_back(result.source);
    } else if (result.node != kNone) {
      const StreamNode& node = stream.nodes[Index(result.node)];
      read.assign(node.inputs.begin(), node.inputs.end());
      read.insert(read.end(), node.captures.begin(), node.captures.end());
    }
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (const int from : read) {
      if (from == kNone || !IsDrawn(side, from)) continue;
      absl::StrAppend(&text_, "    ", Id(side, from), " -> ", Id(side, r), ";\n");
    }
  }

  void AddPair(const ComparedRow& row) {
    if (!row.aligned.paired()) return;
    const int left = row.aligned.left.back();
    const int right = row.aligned.right.back();
    if (!IsDrawn(SideId::kLeft, left) || !IsDrawn(SideId::kRight, right)) return;
    const std::string l = Id(SideId::kLeft, left);
    const std::string r = Id(SideId::kRight, right);
    absl::StrAppend(&text_, "  {rank=same; ", l, "; ", r, ";}\n  ", l, " -> ", r,
                    " [dir=none, style=dashed, constraint=false, color=\"",
                    kRelationColors[static_cast<size_t>(row.relation)], "\"];\n");
  }

  const Comparison& comparison_;
  PerSide<std::vector<const ComparedRow*>> rows_;
  PerSide<std::vector<int>> causes_;
  std::string text_;
};

}  // namespace

std::string RenderDot(const Comparison& comparison) { return Drawing(comparison).Text(); }

}  // namespace onnxcmp
