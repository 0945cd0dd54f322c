#include "reports/table/render_fusions.h"

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
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "record/text/utf8.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {
namespace {

using FusionJson = nlohmann::ordered_json;

constexpr size_t kMostBlocks = 12;  // in a folded table

std::string InQuotes(const std::string& name) {
  return absl::StrCat("'", PrintableText(name), "'");
}

// "'attn/MatMul' … 'attn/MatMul_1'"
std::string EndsText(const Fusion& fusion) {
  const std::string in =
      fusion.path.empty() ? "" : absl::StrCat(" in ", PrintableText(fusion.path));
  if (fusion.nodes.size() == 1) {
    return absl::StrCat(fusion.op_types[0], " ", InQuotes(fusion.nodes[0]), in);
  }
  return absl::StrCat(InQuotes(fusion.nodes.front()), " … ", InQuotes(fusion.nodes.back()), in);
}

std::string NodesText(const Fusion& fusion) {
  return absl::StrCat(EndsText(fusion), ", ",
                      Count(static_cast<int64_t>(fusion.nodes.size()), "node"));
}

std::string NamesText(const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ", [](std::string* out, const std::string& name) {
    absl::StrAppend(out, InQuotes(name));
  });
}

std::string AccuracyText(const FusionObstacle& obstacle) {
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

std::string ObstacleText(const FusionObstacle& obstacle) {
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

// The cost of all obstacles of a fusion together, added like independent errors.
std::string TogetherText(const Fusion& fusion) {
  double squares = 0;
  int count = 0;
  for (const FusionObstacle& obstacle : fusion.obstacles) {
    if (!obstacle.cost.has_value()) continue;
    squares += *obstacle.cost * *obstacle.cost;
    ++count;
  }
  if (count < 2) return "";
  return absl::StrCat("; without these Q/DQ the outputs are about ", TwoDigits(std::sqrt(squares)),
                      " of their size nearer");
}

const Fusion* FusionAt(const std::vector<Fusion>& fusions, int i) {
  return i == kNone ? nullptr : &fusions[Index(i)];
}

std::string FormsText(const Fusion* left, const Fusion* right) {
  if (left == nullptr) return right->form;
  if (right == nullptr || left->form == right->form) return left->form;
  return absl::StrCat(left->form, " → ", right->form);
}

std::string StateText(const Fusion* left, const Fusion* right, bool elsewhere) {
  const auto of = [](const Fusion& fusion) { return fusion.whole() ? "whole" : "broken"; };
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

std::vector<std::string> ObstacleLines(const Fusion& fusion) {
  std::vector<std::string> lines;
  for (const FusionObstacle& obstacle : fusion.obstacles) lines.push_back(ObstacleText(obstacle));
  return lines;
}

void AddBroken(const FusionReport& report, const FusionPair& pair, FusionTexts* texts) {
  const Fusion& left = *FusionAt(report.left, pair.left);
  const Fusion& right = *FusionAt(report.right, pair.right);
  const Fusion& broken = left.whole() ? right : left;
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

FusionJson TextJson(const std::string& text) { return RepairUtf8(text); }

FusionJson TextsJson(const std::vector<std::string>& texts) {
  FusionJson json = FusionJson::array();
  for (const std::string& text : texts) json.push_back(TextJson(text));
  return json;
}

FusionJson ToJson(const FusionObstacle& obstacle) {
  FusionJson json = {{"kind", ObstacleKindName(obstacle.kind)},
                     {"nodes", TextsJson(obstacle.nodes)},
                     {"result", TextJson(obstacle.result)}};
  if (!obstacle.after.empty()) json["after"] = TextJson(obstacle.after);
  if (!obstacle.before.empty()) json["before"] = TextJson(obstacle.before);
  const auto number = [](double value) {
    return std::isfinite(value) ? FusionJson(value)
                                : FusionJson(value > 0   ? "Infinity"
                                             : value < 0 ? "-Infinity"
                                                         : "NaN");
  };
  if (obstacle.sqnr.has_value()) json["own_sqnr"] = number(*obstacle.sqnr);
  if (obstacle.cost.has_value()) json["cost"] = number(*obstacle.cost);
  return json;
}

FusionJson ToJson(const Fusion& fusion) {
  FusionJson json = {{"family", FusionFamilyName(fusion.family)},
                     {"form", fusion.form},
                     {"path", TextJson(fusion.path)},
                     {"whole", fusion.whole()},
                     {"nodes", TextsJson(fusion.nodes)},
                     {"op_types", TextsJson(fusion.op_types)},
                     {"inputs", TextsJson(fusion.inputs)},
                     {"output", TextJson(fusion.output())},
                     {"obstacles", FusionJson::array()}};
  for (const FusionObstacle& obstacle : fusion.obstacles)
    json["obstacles"].push_back(ToJson(obstacle));
  return json;
}

FusionJson ToJson(const std::vector<Fusion>& fusions) {
  FusionJson json = FusionJson::array();
  for (const Fusion& fusion : fusions) json.push_back(ToJson(fusion));
  return json;
}

}  // namespace

FusionTexts TextsOf(const FusionReport& report) {
  FusionTexts texts;
  // Forms in the order in which they first appear, by outcome.
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const FusionPair& pair : report.pairs) {
    const Fusion* left = FusionAt(report.left, pair.left);
    const Fusion* right = FusionAt(report.right, pair.right);
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
      list(names, absl::StrCat(FusionFamilyName(family), " alone"));
    }
  }
  if (!report.nodes_to_exclude.empty()) list(report.nodes_to_exclude, "all of them");
  texts.notes = report.notes;
  return texts;
}

std::string RenderFusions(const Comparison& comparison, const TableOptions& options,
                          const TableStyle& style) {
  const FusionTexts texts = TextsOf(*comparison.fusions);
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

std::string RenderModelFusions(const std::string& source, const std::vector<Fusion>& fusions,
                               const TableOptions& options) {
  const TableStyle style(options);
  const bool all = options.rows == TableOptions::Rows::kAll;
  std::vector<std::string> order;
  std::map<std::string, int64_t> whole;
  std::vector<const Fusion*> broken;
  for (const Fusion& fusion : fusions) {
    if (!fusion.whole()) {
      broken.push_back(&fusion);
    } else if (++whole[fusion.form] == 1) {
      order.push_back(fusion.form);
    }
  }
  std::string text =
      absl::StrCat(PrintableText(source), ": ",
                   Count(static_cast<int64_t>(fusions.size()), "block"), " that runtimes fuse, ",
                   fusions.size() - broken.size(), " whole, ", broken.size(), " broken\n\n");
  for (const std::string& form : order) {
    absl::StrAppend(&text, absl::StrFormat("%4d  %s: whole\n", whole[form], style.Text(form)));
    for (const Fusion& fusion : fusions) {
      if (!all || fusion.form != form || !fusion.whole()) continue;
      absl::StrAppend(&text, "        ", style.Text(NodesText(fusion)), "\n");
    }
  }
  if (!order.empty() && !broken.empty()) absl::StrAppend(&text, "\n");
  for (const Fusion* fusion : broken) {
    absl::StrAppend(
        &text, LabelledLines("broken", Color::kBad,
                             absl::StrCat(fusion->form, ": ", NodesText(*fusion)), options, style));
    for (const std::string& obstacle : ObstacleLines(*fusion)) {
      absl::StrAppend(&text, LabelledLines("", Color::kPlain, obstacle, options, style));
    }
  }
  return text;
}

std::string ModelFusionsJson(const std::string& source, const std::vector<Fusion>& fusions) {
  const FusionJson json = {{"format", "onnxcmp blocks"},
                           {"version", 1},
                           {"source", TextJson(source)},
                           {"blocks", ToJson(fusions)}};
  return absl::StrCat(json.dump(1), "\n");
}

std::string FusionsJson(const FusionReport& report) {
  FusionJson json = {{"left", ToJson(report.left)},
                     {"right", ToJson(report.right)},
                     {"pairs", FusionJson::array()},
                     {"nodes_to_exclude", TextsJson(report.nodes_to_exclude)},
                     {"exclude_by_family", FusionJson::object()},
                     {"notes", TextsJson(report.notes)}};
  for (const auto& [family, names] : report.exclude_by_family) {
    json["exclude_by_family"][std::string(FusionFamilyName(family))] = TextsJson(names);
  }
  for (const FusionPair& pair : report.pairs) {
    FusionJson one = FusionJson::object();
    if (pair.left != kNone) one["left"] = pair.left;
    if (pair.right != kNone) one["right"] = pair.right;
    json["pairs"].push_back(std::move(one));
  }
  return json.dump();
}

}  // namespace onnxcmp
