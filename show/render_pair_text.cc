#include "show/render_pair_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_style.h"
#include "show/drawing.h"
#include "show/model/pair_difference.h"
#include "show/render_text.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostAlike = 3;  // in a row, that are all shown

class PairWriter {
 public:
  PairWriter(const ShownModel& left, const ShownModel& right, const TableOptions& look)
      : left_(left), right_(right), look_(look), style_(look) {}

  std::string Text(const std::vector<NodePair>& pairs,
                   const std::vector<EndDifference>& of_models) {
    for (const auto& [label, model] : {std::pair("left ", &left_), std::pair("right", &right_)}) {
      absl::StrAppend(&text_, style_.Paint(label, Color::kDim), "  ", PrintableText(model->path),
                      "  ", Count(static_cast<int64_t>(model->graph.nodes.size()), "node"), "\n");
    }
    for (const auto& [label, model] : {std::pair("left", &left_), std::pair("right", &right_)}) {
      for (const std::string& note : model->notes) {
        absl::StrAppend(&text_, "note   ", label, ": ", PrintableText(note), "\n");
      }
    }
    text_ += "\n";
    column_ = std::max((look_.width - 6) / 2, 20);
    for (size_t i = 0; i < pairs.size();) {
      size_t end = i;
      while (end < pairs.size() && pairs[end].relation == NodeRelation::kSame) ++end;
      if (end - i > kMostAlike && look_.rows != TableOptions::Rows::kAll) {
        absl::StrAppend(
            &text_, " = ",
            style_.Paint(Count(static_cast<int64_t>(end - i), "node") + " the same (--all)",
                         Color::kDim),
            "\n");
        i = end;
        continue;
      }
      Pair(pairs[i++]);
    }
    if (!of_models.empty()) text_ += "\n";
    for (const EndDifference& difference : of_models) {
      absl::StrAppend(&text_, " ", style_.Paint("≠", Color::kBad), " ", difference.text, "\n");
    }
    absl::StrAppend(&text_, "\n", PairSummary(pairs, of_models),
                    "; by structure alone, nothing was run: onnxcmp LEFT RIGHT compares what they "
                    "compute\n");
    return style_.Text(text_);
  }

 private:
  static std::string Cell(const ShownGraph& graph, int node) {
    if (node < 0) return "";
    const ShownNode& shown = graph.nodes[static_cast<size_t>(node)];
    return absl::StrCat(node, " ", NodeCall(graph, shown));
  }

  void Pair(const NodePair& pair) {
    static constexpr std::array<Color, 4> kColors = {Color::kPlain, Color::kBad, Color::kOneSided,
                                                     Color::kOneSided};
    const std::string left = Cell(left_.graph, pair.left);
    const std::string right = Cell(right_.graph, pair.right);
    const auto fitted = [&](const std::string& text) {
      return look_.wide ? text : ShortenEnd(text, column_, style_.Ellipsis());
    };
    const auto index = static_cast<size_t>(pair.relation);
    std::string line = absl::StrCat(PadRight(fitted(left), column_), "  ", fitted(right));
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text_, " ", style_.Paint(SignOf(pair.relation), kColors[index]), " ",
                    style_.Paint(line, kColors[index]), "\n");
    if (pair.difference.empty()) return;
    const std::vector<std::string> lines =
        WrapText(pair.difference, look_.wide ? 1 << 20 : std::max(look_.width - 8, 20));
    for (const std::string& part : lines) absl::StrAppend(&text_, "        ", part, "\n");
  }

  const ShownModel& left_;
  const ShownModel& right_;
  const TableOptions& look_;
  const TableStyle style_;
  std::string text_;
  int column_ = 0;
};

}  // namespace

std::string RenderPairText(const ShownModel& left, const ShownModel& right,
                           const std::vector<NodePair>& pairs, const NodeSelection& left_selection,
                           const NodeSelection& right_selection, const TableOptions& look) {
  std::vector<NodePair> shown;
  for (const NodePair& pair : pairs) {
    const bool in_left =
        pair.left >= 0 && left_selection.Reaches(left.graph.nodes[static_cast<size_t>(pair.left)]);
    const bool in_right =
        pair.right >= 0 &&
        right_selection.Reaches(right.graph.nodes[static_cast<size_t>(pair.right)]);
    if (in_left || in_right) shown.push_back(pair);
  }
  return PairWriter(left, right, look).Text(shown, ModelDifferences(left, right, pairs));
}

}  // namespace onnxcmp
