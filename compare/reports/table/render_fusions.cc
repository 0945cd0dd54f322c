#include "compare/reports/table/render_fusions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/fusions/compare_fusions.h"
#include "compare/reports/table/table_summary.h"
#include "compare/text/display_text.h"
#include "compare/text/short_text.h"
#include "compare/text/utf8.h"

namespace onnxcmp {
namespace {

using BlockJson = nlohmann::ordered_json;

constexpr size_t kMostBlocks = 12;  // in a folded table

std::string InQuotes(const std::string& name) {
  return absl::StrCat("'", PrintableText(name), "'");
}

// "'attn/MatMul' … 'attn/MatMul_1'"
std::string EndsText(const Block& block) {
  const std::string in = block.path.empty() ? "" : absl::StrCat(" in ", PrintableText(block.path));
  if (block.nodes.size() == 1) {
    return absl::StrCat(block.op_types[0], " ", InQuotes(block.nodes[0]), in);
  }
  return absl::StrCat(InQuotes(block.nodes.front()), " … ", InQuotes(block.nodes.back()), in);
}

std::string NodesText(const Block& block) {
  return absl::StrCat(EndsText(block), ", ",
                      Count(static_cast<int64_t>(block.nodes.size()), "node"));
}

std::string NamesText(const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ", [](std::string* out, const std::string& name) {
    absl::StrAppend(out, InQuotes(name));
  });
}

std::string AccuracyText(const BlockObstacle& obstacle) {
  std::string text;
  if (obstacle.sqnr.has_value()) {
    absl::StrAppend(
        &text, "; ",
        std::isinf(*obstacle.sqnr) ? "exact" : absl::StrFormat("own SQNR %.1f dB", *obstacle.sqnr));
  }
  if (obstacle.cost.has_value()) {
    absl::StrAppend(&text, "; moves the outputs ", TwoDigits(*obstacle.cost), " of their size");
  }
  return text;
}

std::string ObstacleText(const BlockObstacle& obstacle) {
  const std::string result = InQuotes(obstacle.result);
  if (obstacle.kind == ObstacleKind::kOutput) {
    return absl::StrCat("graph output: ", result, ", inside the block, is given to the outside");
  }
  if (obstacle.kind == ObstacleKind::kReader) {
    return absl::StrCat("second reader: ", NamesText(obstacle.nodes), " ",
                        obstacle.nodes.size() == 1 ? "reads " : "read ", result, " of ",
                        InQuotes(obstacle.after));
  }
  std::string where;
  if (!obstacle.after.empty() && !obstacle.before.empty()) {
    where = absl::StrCat(" between ", InQuotes(obstacle.after), " and ", InQuotes(obstacle.before));
  } else if (!obstacle.before.empty()) {
    where = absl::StrCat(" before ", InQuotes(obstacle.before));
  }
  return absl::StrCat(ObstacleKindName(obstacle.kind), ": ", NamesText(obstacle.nodes), where,
                      AccuracyText(obstacle));
}

// The cost of all obstacles of a block together, added like independent errors.
std::string TogetherText(const Block& block) {
  double squares = 0;
  int count = 0;
  for (const BlockObstacle& obstacle : block.obstacles) {
    if (!obstacle.cost.has_value()) continue;
    squares += *obstacle.cost * *obstacle.cost;
    ++count;
  }
  if (count < 2) return "";
  return absl::StrCat("; without these Q/DQ the outputs are about ", TwoDigits(std::sqrt(squares)),
                      " of their size nearer");
}

const Block* BlockAt(const std::vector<Block>& blocks, int i) {
  return i == kNone ? nullptr : &blocks[Index(i)];
}

std::string FormsText(const Block* left, const Block* right) {
  if (left == nullptr) return right->form;
  if (right == nullptr || left->form == right->form) return left->form;
  return absl::StrCat(left->form, " → ", right->form);
}

std::string StateText(const Block* left, const Block* right, bool elsewhere) {
  const auto of = [](const Block& block) { return block.whole() ? "whole" : "broken"; };
  if (left == nullptr) {
    return absl::StrCat(of(*right), " on the right, ",
                        elsewhere ? "in other blocks on the left" : "none on the left");
  }
  if (right == nullptr) {
    return absl::StrCat(of(*left), " on the left, ",
                        elsewhere ? "in other blocks on the right" : "none on the right");
  }
  if (left->whole() && right->whole()) return "whole on both sides";
  if (!left->whole() && !right->whole()) return "broken on both sides";
  return absl::StrCat(of(*left), " on the left, ", of(*right), " on the right");
}

std::vector<std::string> ObstacleLines(const Block& block) {
  std::vector<std::string> lines;
  for (const BlockObstacle& obstacle : block.obstacles) lines.push_back(ObstacleText(obstacle));
  return lines;
}

void AddBroken(const BlockReport& report, const BlockPair& pair, BlockTexts* texts) {
  const Block& left = *BlockAt(report.left, pair.left);
  const Block& right = *BlockAt(report.right, pair.right);
  const Block& broken = left.whole() ? right : left;
  const char* const left_state = left.whole() ? "whole" : "broken";
  const char* const right_state = right.whole() ? "whole" : "broken";
  // Only once if both sides have the same names.
  const bool same_names = left.nodes == right.nodes && left.path == right.path;
  const std::string nodes = same_names
                                ? absl::StrCat(NodesText(left), ": ", left_state, " on the left, ",
                                               right_state, " on the right")
                                : absl::StrCat(left_state, " on the left, ", NodesText(left), "; ",
                                               right_state, " on the right, ", NodesText(right));
  texts->broken.push_back(
      absl::StrCat(FormsText(&left, &right), ": ", nodes, TogetherText(broken)));
  texts->obstacles.push_back(ObstacleLines(broken));
}

BlockJson TextJson(const std::string& text) { return RepairUtf8(text); }

BlockJson TextsJson(const std::vector<std::string>& texts) {
  BlockJson json = BlockJson::array();
  for (const std::string& text : texts) json.push_back(TextJson(text));
  return json;
}

BlockJson ToJson(const BlockObstacle& obstacle) {
  BlockJson json = {{"kind", ObstacleKindName(obstacle.kind)},
                    {"nodes", TextsJson(obstacle.nodes)},
                    {"result", TextJson(obstacle.result)}};
  if (!obstacle.after.empty()) json["after"] = TextJson(obstacle.after);
  if (!obstacle.before.empty()) json["before"] = TextJson(obstacle.before);
  const auto number = [](double value) {
    return std::isfinite(value) ? BlockJson(value)
                                : BlockJson(value > 0   ? "Infinity"
                                            : value < 0 ? "-Infinity"
                                                        : "NaN");
  };
  if (obstacle.sqnr.has_value()) json["own_sqnr"] = number(*obstacle.sqnr);
  if (obstacle.cost.has_value()) json["cost"] = number(*obstacle.cost);
  return json;
}

BlockJson ToJson(const Block& block) {
  BlockJson json = {{"family", BlockFamilyName(block.family)},
                    {"form", block.form},
                    {"path", TextJson(block.path)},
                    {"whole", block.whole()},
                    {"nodes", TextsJson(block.nodes)},
                    {"op_types", TextsJson(block.op_types)},
                    {"inputs", TextsJson(block.inputs)},
                    {"output", TextJson(block.output())},
                    {"obstacles", BlockJson::array()}};
  for (const BlockObstacle& obstacle : block.obstacles)
    json["obstacles"].push_back(ToJson(obstacle));
  return json;
}

BlockJson ToJson(const std::vector<Block>& blocks) {
  BlockJson json = BlockJson::array();
  for (const Block& block : blocks) json.push_back(ToJson(block));
  return json;
}

}  // namespace

BlockTexts TextsOf(const BlockReport& report) {
  BlockTexts texts;
  // Forms in the order in which they first appear, by outcome.
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const BlockPair& pair : report.pairs) {
    const Block* left = BlockAt(report.left, pair.left);
    const Block* right = BlockAt(report.right, pair.right);
    std::pair<std::string, std::string> key = {StateText(left, right, pair.elsewhere),
                                               FormsText(left, right)};
    if (++counts[key] == 1) order.push_back(std::move(key));
    if (BrokenOnOneSide(report, pair)) AddBroken(report, pair, &texts);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const std::string& state) {
      return state == "whole on both sides" ? 2 : state == "broken on both sides" ? 1 : 0;
    };
    return rank(a.first) < rank(b.first);
  });
  for (const auto& key : order) {
    texts.counts.push_back(absl::StrFormat("%4d  %s: %s", counts[key], key.second, key.first));
  }
  const auto list = [&texts](const std::vector<std::string>& names, absl::string_view what) {
    texts.nodes_to_exclude.push_back(
        absl::StrCat("nodes_to_exclude = ", TextsJson(names).dump(), "  # ", what));
  };
  if (report.exclude_by_family.size() > 1) {
    for (const auto& [family, names] : report.exclude_by_family) {
      list(names, absl::StrCat(BlockFamilyName(family), " alone"));
    }
  }
  if (!report.nodes_to_exclude.empty()) list(report.nodes_to_exclude, "all of them");
  texts.notes = report.notes;
  return texts;
}

std::string RenderBlocks(const Comparison& comparison, const TableOptions& options,
                         const TableStyle& style) {
  const BlockTexts texts = TextsOf(*comparison.blocks);
  const bool all = options.rows == TableOptions::Rows::kAll;
  std::string text;
  if (texts.counts.empty()) {
    absl::StrAppend(&text,
                    LabelledLines("blocks", Color::kBold, "none that runtimes fuse, on either side",
                                  options, style));
  }
  for (const std::string& line : texts.counts) absl::StrAppend(&text, style.Text(line), "\n");
  absl::StrAppend(&text, "\n");
  for (size_t i = 0; i < texts.broken.size(); ++i) {
    if (!all && i >= kMostBlocks) {
      absl::StrAppend(&text, "      … ", texts.broken.size() - i, " more; --all shows them\n");
      break;
    }
    absl::StrAppend(&text, LabelledLines("broken", Color::kBad, texts.broken[i], options, style));
    for (const std::string& obstacle : texts.obstacles[i]) {
      absl::StrAppend(&text, LabelledLines("", Color::kPlain, obstacle, options, style));
    }
  }
  for (const std::string& note : texts.notes) {
    absl::StrAppend(&text, LabelledLines("note", Color::kDim, note, options, style));
  }
  // In one line, to be pasted.
  if (!texts.nodes_to_exclude.empty()) {
    absl::StrAppend(&text, "\n", absl::StrJoin(texts.nodes_to_exclude, "\n"), "\n\n");
  }
  return text;
}

std::string RenderModelBlocks(const std::string& source, const std::vector<Block>& blocks,
                              const TableOptions& options) {
  const TableStyle style(options);
  const bool all = options.rows == TableOptions::Rows::kAll;
  std::vector<std::string> order;
  std::map<std::string, int64_t> whole;
  std::vector<const Block*> broken;
  for (const Block& block : blocks) {
    if (!block.whole()) {
      broken.push_back(&block);
    } else if (++whole[block.form] == 1) {
      order.push_back(block.form);
    }
  }
  std::string text =
      absl::StrCat(PrintableText(source), ": ", Count(static_cast<int64_t>(blocks.size()), "block"),
                   " that runtimes fuse, ", blocks.size() - broken.size(), " whole, ",
                   broken.size(), " broken\n\n");
  for (const std::string& form : order) {
    absl::StrAppend(&text, absl::StrFormat("%4d  %s: whole\n", whole[form], style.Text(form)));
    for (const Block& block : blocks) {
      if (!all || block.form != form || !block.whole()) continue;
      absl::StrAppend(&text, "        ", style.Text(NodesText(block)), "\n");
    }
  }
  if (!order.empty() && !broken.empty()) absl::StrAppend(&text, "\n");
  for (const Block* block : broken) {
    absl::StrAppend(
        &text, LabelledLines("broken", Color::kBad,
                             absl::StrCat(block->form, ": ", NodesText(*block)), options, style));
    for (const std::string& obstacle : ObstacleLines(*block)) {
      absl::StrAppend(&text, LabelledLines("", Color::kPlain, obstacle, options, style));
    }
  }
  return text;
}

std::string ModelBlocksJson(const std::string& source, const std::vector<Block>& blocks) {
  const BlockJson json = {{"format", "onnxcmp blocks"},
                          {"version", 1},
                          {"source", TextJson(source)},
                          {"blocks", ToJson(blocks)}};
  return absl::StrCat(json.dump(1), "\n");
}

std::string BlocksJson(const BlockReport& report) {
  BlockJson json = {{"left", ToJson(report.left)},
                    {"right", ToJson(report.right)},
                    {"pairs", BlockJson::array()},
                    {"nodes_to_exclude", TextsJson(report.nodes_to_exclude)},
                    {"exclude_by_family", BlockJson::object()},
                    {"notes", TextsJson(report.notes)}};
  for (const auto& [family, names] : report.exclude_by_family) {
    json["exclude_by_family"][std::string(BlockFamilyName(family))] = TextsJson(names);
  }
  for (const BlockPair& pair : report.pairs) {
    BlockJson one = BlockJson::object();
    if (pair.left != kNone) one["left"] = pair.left;
    if (pair.right != kNone) one["right"] = pair.right;
    json["pairs"].push_back(std::move(one));
  }
  return json.dump();
}

}  // namespace onnxcmp
