// The verdict in words.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "compare/outcome/verdict.h"
#include "compare/outputs/rulings.h"
#include "evaluator/tensor/dtype.h"
#include "record/streams/result_names.h"
#include "record/text/display_text.h"
#include "record/text/meant_name.h"
#include "record/text/short_text.h"
#include "reports/table/table_summary.h"
#include "reports/words/proof_words.h"
#include "reports/words/result_words.h"

namespace onnxcmp {
namespace {

// A pair of outputs, with its full difference if it has a row of its own.
struct OutputFacts {
  const OutputPair* pair;
  const TensorDifference* difference = nullptr;
  // The worst is last: disagreement, by more than ties; distance relative to its size.
  std::tuple<int, double> severity;
};

OutputFacts FactsOfOutput(const Comparison& comparison, const OutputPair& pair) {
  OutputFacts facts = {&pair, nullptr, {}};
  for (auto row = comparison.rows.rbegin(); row != comparison.rows.rend(); ++row) {
    if (!row->aligned.paired() || row->difference == nullptr) continue;
    const StreamResult& l = comparison.left.results[static_cast<size_t>(row->aligned.left.back())];
    const StreamResult& r =
        comparison.right.results[static_cast<size_t>(row->aligned.right.back())];
    const bool is_pair =
        pair.left_result != kNone
            ? row->aligned.left.back() == pair.left_result &&
                  row->aligned.right.back() == pair.right_result
            : l.kind == ResultKind::kOutput && l.name == pair.left && r.name == pair.right;
    if (!is_pair) continue;
    facts.difference = row->difference.get();
    break;
  }
  const ValueDifference& values = pair.difference;
  double size = values.max_relative;
  if (facts.difference != nullptr && facts.difference->range > 0) {
    size = values.max_absolute / facts.difference->range;
  }
  if (!values.reason.empty()) size = std::numeric_limits<double>::infinity();
  facts.severity = {values.agree() && !IsDecidedBy(Ground::kNearer, pair) ? 0
                    : pair.ties                                           ? 1
                                                                          : 2,
                    size};
  return facts;
}

// Number of elements that are NaN or infinite on one side only, or different infinities.
int64_t NonFinite(const OutputFacts& facts) {
  return facts.difference == nullptr ? 0 : facts.difference->non_finite_disagree;
}

// "at most 0.5 (1.2 % of its range) at y[0,3], 1 | 1.5".
std::string HowFar(const OutputFacts& facts, absl::string_view word = "at most ") {
  const ValueDifference& values = facts.pair->difference;
  if (!values.reason.empty()) {
    return absl::StrCat(PrintableText(values.reason),
                        facts.pair->agree_by_value
                            ? "; their values agree (--output-types close accepts that)"
                            : "");
  }
  const TensorDifference* difference = facts.difference;
  std::vector<std::string> asides;
  if (difference != nullptr && std::isfinite(values.max_absolute)) {
    if (difference->max_ulp > 0 && difference->max_ulp < 1000) {
      asides.push_back(UlpText(difference->max_ulp));
    }
    const double share = values.max_absolute / difference->range;
    if (std::isfinite(share) && share >= 1e-3) {
      asides.push_back(absl::StrCat(PercentText(share), " of its range"));
    }
  }
  std::string text;
  if (NonFinite(facts) > 0) {
    text = absl::StrFormat("%d of %d elements are NaN or infinite on one side, the first",
                           NonFinite(facts), values.elements);
  } else {
    const bool whole = values.max_absolute == std::floor(values.max_absolute);
    text = absl::StrCat(word, TwoDigits(values.max_absolute, whole));
  }
  if (!asides.empty()) absl::StrAppend(&text, " (", absl::StrJoin(asides, ", "), ")");
  absl::StrAppend(&text, " at ", PrintableText(facts.pair->left), values.max_absolute_at);
  if (facts.pair->right != facts.pair->left) {
    absl::StrAppend(&text, " | ", PrintableText(facts.pair->right));
  }
  if (!values.max_absolute_pair.empty()) {
    absl::StrAppend(&text, ", ", ElementsText(values.max_absolute_pair));
  }
  return text;
}

std::string HowMany(const OutputFacts& facts) {
  const ValueDifference& values = facts.pair->difference;
  if (!values.fault.empty()) return absl::StrCat("; ", values.fault);
  if (values.beyond == 0 || NonFinite(facts) > 0) return "";
  const Tolerance& tolerance = values.tolerance;
  if (tolerance.atol == 0 && tolerance.rtol == 0) {
    return absl::StrFormat("; %d of %d elements are not equal", values.beyond, values.elements);
  }
  return absl::StrFormat("; %d of %d elements beyond %.2g + %.2g·max(|a|,|b|)", values.beyond,
                         values.elements, tolerance.atol, tolerance.rtol);
}

// The output that is farthest apart relative to its size, and the one that is absolutely, if that
// is another.
std::string HowFarAtMost(const OutputFacts& worst, absl::Span<const OutputFacts> all) {
  const auto size = [](const OutputFacts& facts) {
    const ValueDifference& values = facts.pair->difference;
    return values.reason.empty() && NonFinite(facts) == 0 ? values.max_absolute : -1;
  };
  const auto farthest = std::max_element(
      all.begin(), all.end(),
      [&](const OutputFacts& a, const OutputFacts& b) { return size(a) < size(b); });
  if (size(worst) < 0 || size(*farthest) <= size(worst)) {
    return absl::StrCat(HowFar(worst), HowMany(worst));
  }
  return absl::StrCat(HowFar(worst, "for its size the farthest "), HowMany(worst), "; ",
                      HowFar(*farthest));
}

std::string HowManyOutputs(int64_t some, int64_t all, absl::string_view noun) {
  if (all == 1) return absl::StrCat("the ", noun);
  if (some < all) return absl::StrCat(some, " of ", all, " ", noun, "s");
  return all == 2 ? absl::StrCat("both ", noun, "s") : absl::StrCat("all ", all, " ", noun, "s");
}

// The noun for the pairs: outputs, recorded results, or both.
const char* NounOf(const OutputComparison& outputs) {
  const auto recorded = std::count_if(outputs.pairs.begin(), outputs.pairs.end(),
                                      [](const OutputPair& pair) { return pair.recorded; });
  if (recorded == 0 && (outputs.recorded == 0 || !outputs.pairs.empty())) return "output";
  return recorded == static_cast<int64_t>(outputs.pairs.size()) ? "recorded result" : "result";
}

// A recorded name with similar names of the other side.
std::string WithLikeNames(const std::string& name, const std::vector<std::string>& others) {
  std::string like = DidYouMean(name, others);
  if (like.empty()) return PrintableText(name);
  return absl::StrCat(PrintableText(name), " (", PrintableText(like.substr(2)), ")");
}

std::string Missing(const Comparison& comparison, bool all) {
  const OutputComparison& outputs = comparison.outputs;
  std::string text;
  const auto add = [&](const std::vector<std::string>& names, const char* side,
                       const ResultStream& other) {
    if (names.empty()) return;
    const std::vector<std::string> others =
        outputs.recorded > 0 ? NamesOf({&other}) : std::vector<std::string>();
    std::vector<std::string> shown;
    for (size_t i = 0; i < names.size() && (all || i < 4); ++i) {
      shown.push_back(WithLikeNames(names[i], others));
    }
    if (shown.size() < names.size()) {
      shown.push_back(absl::StrCat("… ", names.size() - shown.size(), " more (--all shows)"));
    }
    absl::StrAppend(&text, text.empty() ? "" : "; ");
    if (outputs.recorded > 0) {
      absl::StrAppend(&text, names.size(), " of ", Count(outputs.recorded, "recorded result"),
                      names.size() == 1 ? " was" : " were",
                      " found nowhere: ", absl::StrJoin(shown, ", "));
    } else {
      absl::StrAppend(&text, "only the ", side, " side has ",
                      names.size() == 1 ? "output " : "outputs ", absl::StrJoin(shown, ", "));
    }
  };
  add(outputs.only_left, "left", comparison.right);
  add(outputs.only_right, "right", comparison.left);
  if (!text.empty() && outputs.partial) absl::StrAppend(&text, " (--partial)");
  return text;
}

std::string AgreeingText(const OutputComparison& outputs, const OutputFacts& worst,
                         absl::Span<const OutputFacts> facts) {
  const int64_t count = static_cast<int64_t>(outputs.pairs.size());
  const std::string all = HowManyOutputs(count, count, NounOf(outputs));
  if (std::all_of(outputs.pairs.begin(), outputs.pairs.end(),
                  [](const OutputPair& pair) { return pair.same_bits; })) {
    return absl::StrCat(all, count == 1 ? " has the same bits" : " have the same bits");
  }
  const char* verb = count == 1 ? " agrees" : " agree";
  if (std::get<1>(worst.severity) == 0) {
    const bool by_value =
        absl::c_any_of(outputs.pairs, [](const OutputPair& pair) { return pair.agree_by_value; });
    return absl::StrCat(all, verb,
                        by_value ? " but for their types (--output-types close)"
                                 : " but for the signs of zeros or the bits of NaN");
  }
  const auto ties = std::count_if(outputs.pairs.begin(), outputs.pairs.end(),
                                  [](const OutputPair& pair) { return pair.ties; });
  if (ties > 0) {
    return absl::StrCat(all, verb, " but for ids that differ where scores tie (--ties close): ",
                        HowFarAtMost(worst, facts));
  }
  if (IsDecidedBy(Ground::kNearer, *worst.pair)) {
    return absl::StrCat(all, verb, ", since the right rounds no worse than the left beside the ",
                        "run in double: ", HowFarAtMost(worst, facts));
  }
  return absl::StrCat(all, verb, " within tolerance: ", HowFarAtMost(worst, facts));
}

// The elements that agree because both are NaN, which is rarely intended.
std::string BothNanText(const OutputComparison& outputs) {
  int64_t nans = 0;
  for (const OutputPair& pair : outputs.pairs) nans += pair.difference.nans;
  if (nans == 0) return "";
  return absl::StrCat(Count(nans, "element"), nans == 1 ? " is" : " are", " NaN on both sides");
}

std::string OutputsText(const Comparison& comparison, bool all) {
  const OutputComparison& outputs = comparison.outputs;
  if (outputs.pairs.empty() && outputs.only_left.empty() && outputs.only_right.empty()) {
    return outputs.recorded > 0
               ? "nothing that was recorded is known to be a result that the model computes"
           : comparison.left.recorded || comparison.right.recorded
               ? "nothing was recorded that could be compared"
               : "neither side has outputs: there is nothing to compare";
  }
  std::vector<std::string> parts;
  std::vector<OutputFacts> facts;
  int64_t different = 0;
  for (const OutputPair& pair : outputs.pairs) {
    facts.push_back(FactsOfOutput(comparison, pair));
    if (!pair.agrees()) ++different;
  }
  const auto worst = std::max_element(
      facts.begin(), facts.end(),
      [](const OutputFacts& a, const OutputFacts& b) { return a.severity < b.severity; });
  const int64_t count = static_cast<int64_t>(facts.size());
  if (worst != facts.end()) {
    if (different > 0 && worst->pair->ties) {
      // All outputs that do not tie are worse.
      parts.push_back(absl::StrCat(TiesText(*worst->pair), ": ", HowFarAtMost(*worst, facts),
                                   " (--ties close accepts that)"));
    } else if (different > 0) {
      parts.push_back(
          absl::StrCat(HowManyOutputs(different, count, NounOf(outputs)),
                       different == 1 ? " differs: " : " differ: ", HowFarAtMost(*worst, facts)));
    } else {
      parts.push_back(AgreeingText(outputs, *worst, facts));
    }
    const std::string nans = BothNanText(outputs);
    if (!nans.empty()) parts.push_back(nans);
  }
  const std::string missing = Missing(comparison, all);
  if (!missing.empty()) parts.push_back(missing);
  return absl::StrJoin(parts, "; ");
}

// True for shapes, indices and the like, which one side may write differently.
bool AreHelperIntegers(const Comparison& comparison, const ComparedRow& row) {
  const auto is_helper = [](const ResultStream& stream, absl::Span<const int> results) {
    return absl::c_all_of(results, [&](int r) {
      const DType dtype = stream.results[Index(r)].dtype;
      return IsInteger(dtype) && BitWidth(dtype) > 8;
    });
  };
  return is_helper(comparison.left, row.aligned.left) &&
         is_helper(comparison.right, row.aligned.right);
}

// Remarks about rows that differ inside although the outputs agree.
std::string InsideText(const Comparison& comparison) {
  const bool same = comparison.verdict() == Verdict::kSame;
  if (!same && comparison.verdict() != Verdict::kClose) return "";
  const auto inside = absl::c_count_if(comparison.rows, [&](const ComparedRow& row) {
    return row.relation == Relation::kDifferent && !(same && AreHelperIntegers(comparison, row));
  });
  // No more than what an honest conversion does to them.
  const std::vector<OutputPair>& pairs = comparison.outputs.pairs;
  const auto is_noise = [](const OutputPair& pair) { return pair.honest_noise; };
  const auto is_same = [](const OutputPair& pair) { return pair.same_bits || pair.honest_noise; };
  if (absl::c_any_of(pairs, is_noise) && absl::c_all_of(pairs, is_same)) return "";
  std::optional<double> moved;
  for (const OutputPair& pair : comparison.outputs.pairs) {
    if (pair.moved.has_value()) moved = std::max(moved.value_or(0), *pair.moved);
  }
  std::string text;
  if (inside > 0) {
    text = absl::StrCat("but ", Count(inside, "pair"), " inside ",
                        inside == 1 ? "differs" : "differ", " beyond tolerance");
  }
  if (!moved.has_value()) return text;
  const bool one = comparison.causes.size() == 1;
  absl::StrAppend(&text, text.empty() ? "but " : "; ", one ? "the cause" : "the causes");
  if (*moved == 0) return absl::StrCat(text, ", made good, would leave the outputs as they are");
  return absl::StrCat(
      text, absl::StrFormat(" %s the outputs by %s of their size, which is within tolerance",
                            one ? "moves" : "move", TwoDigits(*moved)));
}

// How much the made-up inputs have tested.
std::string SetsText(const Comparison& comparison) {
  if (comparison.made_up_sets == 0) return "";
  const bool agrees =
      comparison.verdict() == Verdict::kSame || comparison.verdict() == Verdict::kClose;
  std::string text =
      absl::StrCat(agrees ? "on " : "of ", Count(comparison.made_up_sets, "made-up set"));
  if (!agrees) absl::StrAppend(&text, " the last is shown");
  if (!agrees || !comparison.coverage.has_value()) return agrees ? text : "";
  const auto missing = static_cast<int64_t>(comparison.coverage->missing.size());
  if (missing > 0) {
    absl::StrAppend(&text, "; ", missing, " of ", Count(comparison.coverage->nodes, "node"),
                    missing == 1 ? " was" : " were", " not exercised whole (--coverage)");
  }
  return text;
}

// "0.02", "4e-3".
std::string Share(double share) {
  if (share >= 0.01) return absl::StrFormat("%.2g", share);
  return absl::StrReplaceAll(absl::StrFormat("%.1e", share),
                             {{".0e-0", "e-"}, {".0e", "e"}, {"e-0", "e-"}});
}

// The tolerances of the pairs, and their reasons: "float32: 1e-4 of the scale an element, 2e-5 on
// the whole".
std::vector<std::string> ToleranceLines(const Comparison& comparison) {
  std::vector<std::pair<std::string, int64_t>> texts;
  for (const OutputPair& pair : comparison.outputs.pairs) {
    if (pair.same_bits || pair.tolerance_reason.empty() || !pair.difference.reason.empty())
      continue;
    const Tolerance& tolerance = pair.difference.tolerance;
    std::string text = pair.tolerance_reason;
    if (pair.sqnr.has_value()) {
      absl::StrAppend(&text, absl::StrFormat("; signal to noise %.1f dB", *pair.sqnr));
    }
    if (pair.honest_noise) {
      // The noise has no other limit.
    } else if (tolerance.scaled > 0) {
      absl::StrAppend(&text, ": ", Share(tolerance.scaled), " of the scale an element");
    } else if (tolerance.rtol > 0 || tolerance.atol > 0) {
      absl::StrAppend(&text, absl::StrFormat(": %.2g + %.2g·max(|a|,|b|) an element",
                                             tolerance.atol, tolerance.rtol));
    }
    if (!pair.honest_noise && tolerance.whole > 0 && std::isfinite(tolerance.whole)) {
      absl::StrAppend(&text, ", ", Share(tolerance.whole), " on the whole");
    }
    const auto known = std::find_if(texts.begin(), texts.end(),
                                    [&](const auto& entry) { return entry.first == text; });
    if (known == texts.end()) {
      texts.emplace_back(std::move(text), 1);
    } else {
      ++known->second;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [text, count] : texts) {
    lines.push_back(
        absl::StrCat("tolerance", texts.size() > 1 ? absl::StrCat(" of ", count) : "", ": ", text));
  }
  CutList(&lines, 3, "other tolerances");
  return lines;
}

// Why a recording of other inputs proves nothing.
std::string MadeUpText(const std::vector<std::string>& inputs) {
  std::vector<std::string> shown;
  for (const std::string& input : inputs) {
    shown.push_back(absl::StrCat("`", PrintableText(input), "`"));
  }
  CutList(&shown, 4);
  return absl::StrCat("nothing was tested: the model ran on made-up inputs (",
                      absl::StrJoin(shown, ", "),
                      "), which cannot agree with a recording; give those that it was made with: "
                      "--inputs");
}

}  // namespace

std::vector<std::string> VerdictText(const Comparison& comparison, bool all) {
  std::vector<std::string> lines;
  const absl::Status& left = comparison.left_summary.status;
  const absl::Status& right = comparison.right_summary.status;
  const auto add = [&](const char* side, const absl::Status& status) {
    if (status.ok()) return;
    std::string before = absl::StrCat(side, ": ");
    for (const absl::string_view line : absl::StrSplit(status.message(), '\n')) {
      lines.push_back(before + PrintableText(line));
      before.clear();
    }
  };
  if (!comparison.status.ok()) {
    for (const absl::string_view line : absl::StrSplit(comparison.status.message(), '\n')) {
      lines.push_back(PrintableText(line));
    }
    return lines;
  }
  if (!comparison.sizes_of_one_side.empty()) lines.push_back(comparison.sizes_of_one_side);
  add("left", left);
  add("right", right);
  if (!left.ok() && right.ok()) lines.push_back("the right side ran to its end");
  if (left.ok() && !right.ok()) lines.push_back("the left side ran to its end");
  if (!left.ok() || !right.ok()) return lines;
  lines.clear();
  const bool by_sizes = comparison.outputs.agree() && !comparison.sizes_of_one_side.empty();
  if (by_sizes) lines.push_back(comparison.sizes_of_one_side);
  if (!comparison.made_up_inputs.empty()) {
    lines.push_back(MadeUpText(comparison.made_up_inputs));
  } else if (comparison.verdict() == Verdict::kUntested) {
    lines.push_back(
        comparison.made_up_sets > 0
            ? absl::StrCat("nothing was tested: all outputs are NaN, empty, or the same whatever "
                           "the inputs are, on ",
                           Count(comparison.made_up_sets, "made-up set"), "; give --inputs")
            : "nothing was tested: with these inputs all outputs are NaN or empty");
  }
  const std::string proved = ProvedVerdict(comparison);
  lines.push_back(absl::StrCat(proved, proved.empty() ? "" : "; ", OutputsText(comparison, all)));
  if (std::string but = ProvedButDifferent(comparison); !but.empty()) {
    lines.push_back(std::move(but));
  }
  if (std::string but = NotProvedText(comparison); !but.empty()) lines.push_back(std::move(but));
  for (std::string& line : ToleranceLines(comparison)) lines.push_back(std::move(line));
  const std::string inside = InsideText(comparison);
  if (!inside.empty()) lines.push_back(inside);
  if (std::string sets = SetsText(comparison); !sets.empty()) lines.push_back(std::move(sets));
  if (!by_sizes && !comparison.sizes_of_one_side.empty()) {
    lines.push_back(comparison.sizes_of_one_side);
  }
  if (!comparison.frozen.empty()) {
    lines.push_back(absl::StrCat("with ", absl::StrJoin(comparison.frozen, "; ")));
  }
  const bool told = !OtherFailure(comparison).empty();
  for (size_t i = told ? 1 : 0; i < comparison.unread.size(); ++i) {
    lines.push_back(UnreadText(comparison.unread[i]));
  }
  if (std::string failure = OtherFailure(comparison); !failure.empty()) {
    lines.push_back(std::move(failure));
  } else if (comparison.fail_on == FailOn::kCauses && !comparison.causes.empty() &&
             ExitStatusOf(comparison) == 0) {
    lines.push_back(
        "the causes look like other ways to compute the same and do not count (--fail-on causes)");
  }
  return lines;
}

}  // namespace onnxcmp
