#include "reports/table/render_explanation.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/causes/cause.h"
#include "record/base/work_bounds.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"
#include "reports/words/result_words.h"

namespace onnxcmp {
namespace {

class Screen {
 public:
  Screen(const Comparison& comparison, const TableOptions& options, const TableStyle& style)
      : comparison_(comparison),
        explanation_(*comparison.explanation),
        options_(options),
        style_(style) {}

  std::string Draw() {
    Nodes();
    Inputs();
    Statistics();
    Difference();
    Errors();
    Histogram();
    Worst();
    Claims();
    Dismissed();
    Readers();
    return std::move(text_);
  }

 private:
  const StreamResult& Left(int r) const { return comparison_.left.results[Index(r)]; }
  const StreamResult& Right(int r) const { return comparison_.right.results[Index(r)]; }

  void Line(absl::string_view label, const std::string& line, Color color = Color::kBold) {
    text_ += LabelledLines(label, color, line, options_, style_);
  }

  // Two columns under the label `label`; both may be long.
  void Both(absl::string_view label, const std::string& left, const std::string& right,
            const std::string& note = "") {
    const int width = std::max(12, (options_.width - kLabelWidth - 26) / 2);
    const auto cell = [&](const std::string& text) {
      const std::string shown = style_.Text(text);
      return PadRight(options_.wide ? shown : ShortenMiddle(shown, width, style_.Ellipsis()),
                      width);
    };
    std::string line = absl::StrCat(PadRight(style_.Text(label), kLabelWidth), cell(left), "  ",
                                    cell(right), note.empty() ? "" : "  ", style_.Text(note));
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&text_, line, "\n");
  }

  static std::string Name(const StreamResult& result) {
    return absl::StrCat(result.path.empty() ? "" : absl::StrCat(PrintableText(result.path), "/"),
                        PrintableText(result.name));
  }

  void Nodes() {
    const int l = explanation_.left;
    const int r = explanation_.right;
    Both(absl::StrCat("row ", explanation_.row), "left", "right");
    const std::string ours = l == kNone ? "no partner" : WhatMade(comparison_.left, l);
    const std::string theirs = r == kNone ? "no partner" : WhatMade(comparison_.right, r);
    Both("operator", ours, theirs, ours == theirs ? "" : "← differs");
    Both("name", l == kNone ? "" : Name(Left(l)), r == kNone ? "" : Name(Right(r)));
    const std::string left_type = l == kNone ? "" : ShortType(Left(l));
    const std::string right_type = r == kNone ? "" : ShortType(Right(r));
    Both("type", left_type, right_type,
         left_type == right_type || l == kNone || r == kNone ? "" : "← differs");
    for (const AttributePair& fact : explanation_.attributes) {
      const auto shown = [&](const std::string& text) {
        return text.empty() ? text
                            : absl::StrCat(PrintableText(fact.name), " = ", PrintableText(text));
      };
      Both(&fact == &explanation_.attributes.front() ? "attributes" : "", shown(fact.left),
           shown(fact.right), fact.differs ? "← differs" : "");
    }
  }

  void Inputs() {
    for (size_t i = 0; i < explanation_.inputs.size(); ++i) {
      const ExplainedInput& input = explanation_.inputs[i];
      std::string note;
      if (input.same_bits) {
        note = "the same bits";
      } else if (input.difference.has_value()) {
        note = absl::StrCat(input.difference->values.agree() ? "close, " : "differs, ",
                            GreatestDifference(*input.difference, Left(input.left).dtype));
      }
      if (input.not_paired && input.left != kNone && input.right != kNone && !input.same_bits) {
        absl::StrAppend(&note, note.empty() ? "" : "; ", "no pair");
      }
      const auto shown = [](const StreamResult& result) {
        return absl::StrCat(Name(result), " ", ShortType(result));
      };
      Both(absl::StrCat("input ", i), input.left == kNone ? "none" : shown(Left(input.left)),
           input.right == kNone ? "none" : shown(Right(input.right)), note);
    }
  }

  void Statistics() {
    const auto shown = [](const StreamResult& result) {
      if (!result.fingerprint.has_sketch) return std::string();
      const onnxcmp::Statistics& s = result.fingerprint.numbers().statistics;
      std::string text =
          absl::StrFormat("%.3g … %.3g, mean %.2g, dev %.2g", s.min, s.max, s.mean, s.deviation);
      if (s.nans > 0) absl::StrAppend(&text, ", ", s.nans, " NaN");
      if (s.infinities > 0) absl::StrAppend(&text, ", ", s.infinities, " inf");
      return text;
    };
    Both("values", explanation_.left == kNone ? "" : shown(Left(explanation_.left)),
         explanation_.right == kNone ? "" : shown(Right(explanation_.right)));
  }

  void Difference() {
    text_ += "\n";
    if (explanation_.left == kNone || explanation_.right == kNone) {
      Line("difference", "there is nothing to compare with");
      return;
    }
    if (!explanation_.difference.has_value()) {
      Line("difference", "none: the same bits");
      return;
    }
    const TensorDifference& d = *explanation_.difference;
    if (!d.values.reason.empty()) Line("difference", PrintableText(d.values.reason));
    Line(d.values.reason.empty() ? "difference" : "",
         absl::StrFormat("max abs %s, max rel %s, rms %s, %s, cosine %.9g, SQNR %.3g dB; %d of %d "
                         "elements beyond %.2g + %.2g·max(|a|,|b|)",
                         TwoDigits(d.values.max_absolute), TwoDigits(d.values.max_relative),
                         TwoDigits(d.values.rms), UlpText(d.max_ulp), d.values.cosine, d.sqnr,
                         d.values.beyond, d.values.elements, d.values.tolerance.atol,
                         d.values.tolerance.rtol));
  }

  void Errors() {
    if (explanation_.own.has_value()) {
      Line("own", absl::StrCat("given the left's inputs, the right's node is ",
                               TwoDigits(*explanation_.own),
                               " from the left's result; its own inputs "
                               "move it by ",
                               TwoDigits(*explanation_.inherited)));
    }
    if (explanation_.left_truth.has_value()) {
      Line("in double",
           absl::StrCat("from the left model in double the left is ",
                        TwoDigits(explanation_.left_truth->max_absolute), ", the right ",
                        TwoDigits(explanation_.right_truth->max_absolute)));
    }
    if (explanation_.order.has_value()) {
      const int64_t sums = explanation_.order_sums;
      Line("order",
           absl::StrCat("with ", sums == 1 ? "the sum" : absl::StrCat("all ", sums, " sums"),
                        " before it in reverse order the ", SideName(explanation_.order_side),
                        " moves by ", TwoDigits(*explanation_.order)));
    }
  }

  void Bar(const std::string& label, int64_t count, int64_t most) {
    const int64_t length = count == 0 ? 0 : std::max<int64_t>(1, count * 40 / most);
    absl::StrAppend(&text_, std::string(kLabelWidth, ' '), PadRight(style_.Text(label), 9),
                    std::string(Index(static_cast<int>(length)), '#'), length > 0 ? " " : "", count,
                    "\n");
  }

  void Histogram() {
    if (explanation_.decades.empty() && explanation_.not_finite == 0) return;
    Line("histogram", "of the absolute differences, by decade");
    int64_t most = std::max(explanation_.equal, explanation_.not_finite);
    for (const DecadeCount& decade : explanation_.decades) most = std::max(most, decade.elements);
    if (explanation_.not_finite > 0) Bar("NaN, inf", explanation_.not_finite, most);
    int64_t below = 0;
    for (size_t i = 0; i < explanation_.decades.size(); ++i) {
      const DecadeCount& decade = explanation_.decades[i];
      if (i >= size_t{work_bounds::kLines}) {
        below += decade.elements;
      } else {
        Bar(absl::StrFormat("1e%+03d", decade.decade), decade.elements, most);
      }
    }
    if (below > 0) Bar("below", below, most);
    if (explanation_.equal > 0) Bar("0", explanation_.equal, most);
  }

  void Worst() {
    if (explanation_.worst.empty()) return;
    std::vector<std::vector<std::string>> rows = {
        {"index", "left", "right", "double", "difference"}};
    for (const ExplainedElement& element : explanation_.worst) {
      rows.push_back({element.index, element.left, element.right, element.in_double,
                      TwoDigits(element.absolute)});
    }
    std::vector<int> widths(rows[0].size());
    for (const auto& row : rows) {
      for (size_t c = 0; c < row.size(); ++c) {
        widths[c] = std::max(widths[c], DisplayWidth(row[c]));
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      std::string line = style_.Paint(PadRight(i == 0 ? "worst" : "", kLabelWidth), Color::kBold);
      for (size_t c = 0; c < rows[i].size(); ++c) {
        absl::StrAppend(&line, c == 0 ? "" : "  ",
                        c == 0 ? PadRight(rows[i][c], widths[c]) : PadLeft(rows[i][c], widths[c]));
      }
      absl::StrAppend(&text_, absl::StripTrailingAsciiWhitespace(line), "\n");
    }
  }

  // Claims on the two results, a line each.
  void Claims() {
    bool first = true;
    for (const Claim& claim : explanation_.claims) {
      const std::string ours = claim.left == kNone ? "nothing" : Name(Left(claim.left));
      const std::string theirs = claim.right == kNone ? "nothing" : Name(Right(claim.right));
      Line(first ? "claims" : "",
           absl::StrCat(RowOfRule(claim.rule).name,
                        claim.points > 0 ? absl::StrFormat(" (%.3g)", claim.points) : "", ": ",
                        ours, " | ", theirs, claim.how.empty() ? "" : ", ", claim.how, ": ",
                        OutcomeText(claim.outcome)));
      first = false;
    }
  }

  // Findings of the search for causes at the two results that are none.
  void Dismissed() {
    for (const DismissedCause& one : comparison_.dismissed) {
      const bool is_here = (explanation_.left != kNone && one.cause.left == explanation_.left) ||
                           (explanation_.right != kNone && one.cause.right == explanation_.right);
      if (!is_here) continue;
      Line("no cause", absl::StrCat(VetoText(one.veto), "; found: ", one.cause.text));
    }
  }

  std::string ReadersText(const std::vector<int>& readers, const ResultStream& stream) const {
    std::vector<std::string> parts;
    for (const int r : readers) {
      parts.push_back(absl::StrCat(WhatMade(stream, r), " ", Name(stream.results[Index(r)])));
    }
    CutList(&parts, 4);
    return parts.empty() ? "nothing" : absl::StrJoin(parts, ", ");
  }

  void Readers() {
    std::string text;
    if (explanation_.left != kNone) {
      text = absl::StrCat("left: ", ReadersText(explanation_.left_readers, comparison_.left));
    }
    if (explanation_.right != kNone) {
      absl::StrAppend(&text, text.empty() ? "" : "; ",
                      "right: ", ReadersText(explanation_.right_readers, comparison_.right));
    }
    Line("read by", text);
  }

  const Comparison& comparison_;
  const Explanation& explanation_;
  const TableOptions& options_;
  const TableStyle& style_;
  std::string text_;
};

}  // namespace

std::string RenderExplanation(const Comparison& comparison, const TableOptions& options,
                              const TableStyle& style) {
  return Screen(comparison, options, style).Draw();
}

}  // namespace onnxcmp
