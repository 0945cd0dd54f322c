#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "compare/causes/cause_truth.h"
#include "compare/causes/iteration_search.h"
#include "compare/causes/repro.h"
#include "compare/outcome/verdict.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/cause_words.h"
#include "reports/table/growth_text.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"
#include "reports/words/change_words.h"
#include "reports/words/keep_in_float_text.h"
#include "reports/words/proof_words.h"
#include "reports/words/result_words.h"
#include "reports/words/row_selection.h"
#include "reports/words/shadow_text.h"

namespace onnxcmp {
namespace {

// "Add sum | total".
std::string Paired(const std::string& what, const std::string& left, const std::string& right) {
  return absl::StrCat(what, what.empty() ? "" : " ", left,
                      left.empty() || right.empty() || left == right ? "" : " | ",
                      left == right ? "" : right);
}

std::string PairName(const Comparison& comparison, int left, int right) {
  const std::string what = left != kNone    ? WhatMade(comparison.left, left)
                           : right != kNone ? WhatMade(comparison.right, right)
                                            : "";
  return Paired(what, PathAndName(comparison.left, left), PathAndName(comparison.right, right));
}

std::string Pairs(const Comparison& comparison, const TableStyle& style) {
  std::array<int64_t, 5> counts = {};
  for (const ComparedRow& row : comparison.rows) ++counts[static_cast<size_t>(row.relation)];
  constexpr std::array<const char*, 5> kWords = {"the same bits", "within tolerance", "different",
                                                 "only left", "only right"};
  std::vector<std::string> parts;
  for (size_t i = 0; i < counts.size(); ++i) {
    const Relation relation = static_cast<Relation>(i);
    if (counts[i] > 0) {
      parts.push_back(
          absl::StrCat(counts[i], " ", kWords[i], kNoBreak, "(", style.Sign(relation), ")"));
    } else if (relation == Relation::kDifferent) {
      parts.push_back("none different");
    }
  }
  return absl::StrJoin(parts, ", ");
}

// The intermediate pair that is farthest apart relative to its size.
std::string Worst(const Comparison& comparison) {
  const ComparedRow* worst = nullptr;
  double farthest = 0;
  double most = 0;
  for (const ComparedRow& row : comparison.rows) {
    if (row.difference == nullptr || !row.aligned.paired()) continue;
    if (comparison.left.results[Index(row.aligned.left.back())].kind == ResultKind::kOutput) {
      continue;
    }
    const TensorDifference& difference = *row.difference;
    if (!difference.values.reason.empty() || difference.values.max_absolute == 0) continue;
    most = std::max(most, difference.values.max_absolute);
    const double size = difference.range > 0 ? difference.values.max_absolute / difference.range
                                             : difference.values.max_relative;
    if (worst == nullptr || size > farthest) {
      worst = &row;
      farthest = size;
    }
  }
  if (worst == nullptr) return "";
  const TensorDifference& difference = *worst->difference;
  const StreamResult& face = comparison.left.results[Index(worst->aligned.left.back())];
  std::string text =
      absl::StrCat(PairName(comparison, worst->aligned.left.back(), worst->aligned.right.back()),
                   difference.values.max_absolute < most ? ", for its size: " : ": ",
                   GreatestDifference(difference, face.dtype));
  if (difference.range > 0 && farthest >= 1e-3 && std::isfinite(farthest)) {
    absl::StrAppend(&text, " (", PercentText(farthest), " of its range)");
  }
  if (!difference.values.max_absolute_at.empty()) {
    absl::StrAppend(&text, " at ", PrintableText(difference.values.max_absolute_at));
  }
  if (!difference.values.max_absolute_pair.empty()) {
    absl::StrAppend(&text, ", ", ElementsText(difference.values.max_absolute_pair));
  }
  return text;
}

// The calls and bodies around a cause.
CauseInBody PathsOf(const Comparison& comparison, const Cause& cause) {
  CauseInBody paths = cause.in_body.value_or(CauseInBody());
  if (cause.in_body.has_value()) return paths;
  if (cause.left != kNone) paths.left_path = comparison.left.results[Index(cause.left)].path;
  if (cause.right != kNone) paths.right_path = comparison.right.results[Index(cause.right)].path;
  return paths;
}

// The folders of causes and rewrites, as commands that show them.
std::string Repros(const Comparison& comparison, const TableOptions& options,
                   const TableStyle& style) {
  std::string text;
  const auto add = [&](const Repro& repro, const std::string& folder) {
    if (folder.empty()) return;
    const std::string line =
        !comparison.right_summary.ran_in.empty()
            ? absl::StrCat(folder, "/right.onnx in ",
                           PrintableText(comparison.right_summary.ran_in))
            : absl::StrCat("onnxcmp ", folder, repro.left == nullptr ? "/left.npz " : "/left.onnx ",
                           folder, "/right.onnx");
    // Not wrapped, so that it can be copied.
    text +=
        LabelledLines(text.empty() ? "repro" : "", Color::kPlain,
                      absl::StrReplaceAll(PrintableText(line), {{" ", kNoBreak}}), options, style);
  };
  for (const Cause& cause : comparison.causes) {
    if (cause.repro != nullptr) add(*cause.repro, cause.repro_folder);
  }
  if (comparison.proof == nullptr) return text;
  for (const RewriteFault& fault : comparison.proof->rewrite_faults) {
    if (fault.repro != nullptr) add(*fault.repro, fault.folder);
  }
  return text;
}

std::string Causes(const Comparison& comparison, const TableOptions& options,
                   const TableStyle& style) {
  std::string text;
  const size_t count = comparison.causes.size();
  const size_t shown =
      count <= size_t{work_bounds::kShown} + 1 || options.rows == TableOptions::Rows::kAll
          ? count
          : size_t{work_bounds::kShown};
  for (size_t i = 0; i < shown; ++i) {
    text += LabelledLines(CauseLabel(comparison, i), Color::kBad,
                          CauseSentence(comparison, comparison.causes[i]), options, style);
  }
  if (shown < count) {
    text += LabelledLines("", Color::kPlain,
                          absl::StrCat("… ", count - shown, " more causes (--all shows)"), options,
                          style);
  }
  return text;
}

// Nodes that quantize are on one side or on both.
bool IsQuantized(const Comparison& comparison) {
  for (const SideId side : kBothSides) {
    for (const StreamNode& node : OfSide(comparison, side).nodes) {
      if (Quantizes(node.op_type)) return true;
    }
  }
  return false;
}

// The list of nodes to keep in float. It is not wrapped, so that it can be copied.
std::string KeepLines(const Comparison& comparison, const TableOptions& options,
                      const TableStyle& style) {
  if (!comparison.keep_in_float.has_value()) return "";
  const std::string list = absl::StrReplaceAll(
      PrintableText(KeepInFloatList(*comparison.keep_in_float)), {{" ", kNoBreak}});
  const std::string text = absl::StrJoin(KeepInFloatText(comparison), "; ");
  return LabelledLines(
      "keep", Color::kBold,
      absl::StrCat("in", kNoBreak, "float", kNoBreak, list, "  ", PrintableText(text)), options,
      style);
}

}  // namespace

std::string LabelledLines(absl::string_view label, Color color, absl::string_view text,
                          const TableOptions& options, const TableStyle& style) {
  // The head's labels are short, the foot's have a column of their own.
  const bool short_label = label == "fed" || label == "ran" || label == "note";
  const int indent = short_label ? 7 : kLabelWidth;
  std::string lines;
  const std::string shown = style.Text(text);
  for (const std::string& line : WrapText(shown, std::max(20, options.width - indent))) {
    absl::StrAppend(&lines,
                    lines.empty() ? style.Paint(PadRight(label, indent), color)
                                  : std::string(static_cast<size_t>(indent), ' '),
                    line, "\n");
  }
  return lines;
}

std::string CauseLabel(const Comparison& comparison, size_t cause) {
  return comparison.causes.size() == 1 ? "cause" : absl::StrCat("cause ", cause + 1);
}

std::string CausePair(const Comparison& comparison, const Cause& cause) {
  if (!cause.in_body.has_value()) return PairName(comparison, cause.left, cause.right);
  const std::string left = CauseName(comparison, cause, SideId::kLeft);
  // A result that is not in the stream has no operator there.
  const bool listed = cause.left != kNone && left == PathAndName(comparison.left, cause.left);
  return Paired(listed ? WhatMade(comparison.left, cause.left) : "", left,
                CauseName(comparison, cause, SideId::kRight));
}

std::string CauseSentence(const Comparison& comparison, const Cause& cause) {
  absl::string_view what = cause.text;
  // The pair already names the place.
  absl::ConsumePrefix(&what, InBodyText(PathsOf(comparison, cause)));
  std::string line = absl::StrCat(CausePair(comparison, cause), what.empty() ? "" : ": ",
                                  PrintableText(TellingFirst(what)));
  if (cause.count > 1) absl::StrAppend(&line, "; ", cause.count, " such places");
  const std::string truth = TruthText(cause);
  if (!truth.empty()) absl::StrAppend(&line, "; ", truth);
  const std::string proved = CauseProofText(comparison, cause);
  if (!proved.empty()) absl::StrAppend(&line, "; ", proved);
  const std::string certificate = CertificateText(cause);
  if (!certificate.empty()) absl::StrAppend(&line, "; ", certificate);
  const std::string source = CauseSourceLine(comparison, cause);
  if (!source.empty()) absl::StrAppend(&line, "; from ", PrintableText(source));
  return line;
}

std::string TableFoot(const Comparison& comparison, const std::vector<FusedRows>& fusions,
                      const TableOptions& options, const TableStyle& style, bool causes,
                      bool verdict) {
  std::string text;
  const auto add = [&](absl::string_view label, const std::string& line) {
    if (!line.empty()) text += LabelledLines(label, Color::kPlain, line, options, style);
  };
  add("pairs", Pairs(comparison, style));
  if (!ChangesComeFirst(comparison)) {
    for (const auto& [what, line] : ChangeLines(FindChanges(comparison, fusions))) {
      if (what != "nodes") add(what, line);
    }
  }
  absl::string_view label;
  add("growth", GrowthText(comparison, options.ascii));
  if (comparison.causes.empty()) add("farthest", Worst(comparison));
  if (IsQuantized(comparison)) {
    add("quantized", "--quantization lists what each quantized layer costs, the worst first");
  }
  // Non-finite origins come first: a cause is often the first of them.
  text += NotFiniteLines(comparison, options, style);
  if (causes) text += Causes(comparison, options, style);
  text += Repros(comparison, options, style);
  text += KeepLines(comparison, options, style);
  if (comparison.shadow.has_value()) {
    label = "in double";
    for (const std::string& line : ShadowText(*comparison.shadow))
      add(std::exchange(label, ""), line);
  }
  return absl::StrCat(text, verdict ? VerdictLines(comparison, options, style)
                                    : VerdictDetails(comparison, options, style));
}

}  // namespace onnxcmp
