#include "compare/outputs/output_comparison.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/outputs/rulings.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

std::string Errors(const ValueDifference& difference) {
  return absl::StrCat("max abs ", TwoDigits(difference.max_absolute), " at ",
                      difference.max_absolute_at, " (", difference.max_absolute_pair, "), max rel ",
                      TwoDigits(difference.max_relative), " at ", difference.max_relative_at);
}

std::string VerdictText(const OutputComparison& comparison) {
  if (comparison.agree()) {
    const bool equal =
        std::all_of(comparison.pairs.begin(), comparison.pairs.end(),
                    [](const OutputPair& pair) { return pair.difference.max_absolute == 0; });
    return equal ? "outputs agree: all elements are equal" : "outputs agree within the tolerance";
  }
  const auto bad = std::count_if(comparison.pairs.begin(), comparison.pairs.end(),
                                 [](const OutputPair& pair) { return !pair.agrees(); });
  std::vector<std::string> facts;
  if (bad > 0) {
    facts.push_back(absl::StrCat(bad, " of ", comparison.pairs.size()));
  }
  if (!comparison.only_left.empty()) {
    facts.push_back(absl::StrCat("only left: ", absl::StrJoin(comparison.only_left, ", ")));
  }
  if (!comparison.only_right.empty()) {
    facts.push_back(absl::StrCat("only right: ", absl::StrJoin(comparison.only_right, ", ")));
  }
  return absl::StrCat("outputs differ: ", absl::StrJoin(facts, "; "));
}

// The right result that the user paired with a left one; kNone if there is none.
int GivenPartner(const Alignment& alignment, int left) {
  for (const AlignedRow& row : alignment.rows) {
    if (row.paired() && Has(row.marks, Mark::kGiven) && row.left.back() == left) {
      return row.right.back();
    }
  }
  return kNone;
}

// Pairs of outputs.
struct Partners {
  std::vector<std::optional<size_t>> of_left;
  std::vector<bool> right_taken;
};

Partners PartnersOf(absl::Span<const NamedOutput> left, absl::Span<const NamedOutput> right,
                    const Alignment* alignment) {
  Partners partners = {std::vector<std::optional<size_t>>(left.size()),
                       std::vector<bool>(right.size())};
  const auto pair = [&](size_t i, size_t j) {
    partners.of_left[i] = j;
    partners.right_taken[j] = true;
  };
  absl::flat_hash_map<std::string, size_t> by_name;
  absl::flat_hash_map<int, size_t> by_result;
  for (size_t j = 0; j < right.size(); ++j) {
    by_name.try_emplace(right[j].name, j);
    if (right[j].result != kNone) by_result.try_emplace(right[j].result, j);
  }
  // Pairs given by the user take precedence over names.
  for (size_t i = 0; alignment != nullptr && i < left.size(); ++i) {
    if (left[i].result == kNone) continue;
    const int partner = GivenPartner(*alignment, left[i].result);
    const auto it = by_result.find(partner);
    if (partner != kNone && it != by_result.end() && !partners.right_taken[it->second]) {
      pair(i, it->second);
    }
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (partners.of_left[i].has_value()) continue;
    const auto it = by_name.find(left[i].name);
    if (it != by_name.end() && !partners.right_taken[it->second]) pair(i, it->second);
  }
  for (size_t i = 0; alignment != nullptr && i < left.size(); ++i) {
    if (partners.of_left[i].has_value() || left[i].result == kNone) continue;
    const auto it = by_result.find(alignment->left_to_right[Index(left[i].result)]);
    if (it != by_result.end() && !partners.right_taken[it->second]) pair(i, it->second);
  }
  size_t next = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    if (partners.of_left[i].has_value()) continue;
    while (next < right.size() && partners.right_taken[next]) ++next;
    if (next == right.size()) break;
    pair(i, next);
  }
  return partners;
}

// A note if outputs are paired in another order than theirs: programs that read them by position
// get others.
std::string OtherOrder(absl::Span<const NamedOutput> left, absl::Span<const NamedOutput> right,
                       const Partners& partners) {
  std::vector<std::string> pairs;
  size_t last = 0;
  bool in_order = true;
  bool by_names = true;
  for (size_t i = 0; i < left.size(); ++i) {
    const std::optional<size_t> j = partners.of_left[i];
    if (!j.has_value()) continue;
    in_order &= *j >= last;
    last = *j;
    if (i == *j) continue;
    const bool named = left[i].name == right[*j].name;
    by_names &= named;
    pairs.push_back(named ? absl::StrCat("`", left[i].name, "`")
                          : absl::StrCat("`", left[i].name, "` | `", right[*j].name, "`"));
  }
  if (in_order) return "";
  return absl::StrCat("outputs are in another order on the right, by their ",
                      by_names ? "names: " : "values: ", SomeOf(pairs));
}

OutputPair ComparePair(const NamedOutput& left, const NamedOutput& right,
                       const ToleranceOptions& options, const PairTolerances* tolerances) {
  OutputPair pair;
  pair.left = left.name;
  pair.right = right.name;
  pair.left_result = left.result;
  pair.right_result = right.result;
  pair.type = left.value.TypeString();
  pair.same_bits = ContentOf(left.value) == ContentOf(right.value);
  const bool by_value = options.output_types_close;
  // Compares them as they are, and by value if only their types disagree.
  const auto measure = [&](const auto& difference) {
    pair.difference = difference(by_value);
    if (pair.type == right.value.TypeString()) return;
    pair.agree_by_value = (by_value ? pair.difference : difference(true)).agree();
  };
  if (tolerances != nullptr && left.result != kNone && right.result != kNone) {
    const PairTolerance tolerance = tolerances->Of(left.result, right.result);
    measure([&](bool types_close) {
      return DifferenceWithin(tolerance.tolerances, left.value, right.value, types_close);
    });
    pair.tolerance_reason = tolerance.why;
    if (tolerance.own.has_value() && !pair.same_bits && pair.agrees()) {
      pair.own_whole = tolerance.own->floats.whole;
      pair.within_own = DifferenceWithin(*tolerance.own, left.value, right.value, by_value).agree();
    }
  } else if (const auto named = NamedTolerance(options, {left.name, right.name})) {
    measure([&](bool types_close) {
      return DifferenceWithin(*named, left.value, right.value, types_close);
    });
    pair.tolerance_reason = "--tolerance";
  } else {
    measure([&](bool types_close) {
      return DifferenceOf(left.value, right.value, options, types_close);
    });
  }
  return pair;
}

// The right's output with the values of the left one; null if the alignment knows none.
const NamedOutput* AlignedOutput(const NamedOutput& left, absl::Span<const NamedOutput> right,
                                 const Alignment* alignment) {
  if (alignment == nullptr || left.result == kNone) return nullptr;
  const int partner = alignment->left_to_right[Index(left.result)];
  const auto at =
      absl::c_find_if(right, [&](const NamedOutput& output) { return output.result == partner; });
  return partner == kNone || at == right.end() ? nullptr : &*at;
}

}  // namespace

std::string SomeOf(std::vector<std::string> names) {
  CutList(&names, 6);
  return absl::StrJoin(names, ", ");
}

OutputComparison CompareOutputs(absl::Span<const NamedOutput> left,
                                absl::Span<const NamedOutput> right,
                                const ToleranceOptions& options, const PairTolerances* tolerances,
                                const Alignment* alignment) {
  const Partners partners = PartnersOf(left, right, alignment);
  OutputComparison comparison;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!partners.of_left[i].has_value()) {
      comparison.only_left.push_back(left[i].name);
      continue;
    }
    const NamedOutput& namesake = right[*partners.of_left[i]];
    OutputPair& pair =
        comparison.pairs.emplace_back(ComparePair(left[i], namesake, options, tolerances));
    const NamedOutput* const other = AlignedOutput(left[i], right, alignment);
    if (!pair.agrees() && other != nullptr && other != &namesake &&
        ComparePair(left[i], *other, options, tolerances).agrees()) {
      pair.difference.fault = absl::StrCat("the right has these values as `", other->name, "`");
    }
  }
  for (size_t j = 0; j < right.size(); ++j) {
    if (!partners.right_taken[j]) comparison.only_right.push_back(right[j].name);
  }
  if (std::string order = OtherOrder(left, right, partners); !order.empty()) {
    comparison.notes.push_back(std::move(order));
  }
  for (const auto& [side, outputs] : {std::pair("left", left), std::pair("right", right)}) {
    for (const NamedOutput& output : outputs) {
      if (output.declared_type.empty()) continue;
      comparison.notes.push_back(absl::StrCat(side, " output `", output.name, "` is declared ",
                                              output.declared_type, " and is ",
                                              output.value.TypeString()));
    }
  }
  return comparison;
}

bool TellsNothing(const OutputComparison& comparison) {
  return !comparison.pairs.empty() &&
         std::all_of(comparison.pairs.begin(), comparison.pairs.end(), [](const OutputPair& pair) {
           return pair.difference.nans == pair.difference.elements;
         });
}

Value ValueOf(absl::Span<const NamedOutput> outputs, int result) {
  const auto at = std::find_if(outputs.begin(), outputs.end(),
                               [&](const NamedOutput& output) { return output.result == result; });
  return at == outputs.end() ? Value() : at->value;
}

bool IsAccepted(const OutputComparison& comparison, const OutputPair& pair) {
  return pair.agrees() || (comparison.partial && pair.entry) ||
         (comparison.any_row_order && pair.reordered);
}

bool OutputComparison::agree() const {
  const bool complete = only_left.empty() && only_right.empty();
  return !pairs.empty() && (complete || partial) &&
         absl::c_all_of(pairs, [&](const OutputPair& pair) { return IsAccepted(*this, pair); });
}

std::string ToleranceText(const Tolerance& tolerance) {
  if (tolerance.atol == 0 && tolerance.rtol == 0) return "0";
  return absl::StrCat(absl::StrFormat("%.2g", tolerance.atol), " + ",
                      absl::StrFormat("%.2g", tolerance.rtol), "*max(|a|,|b|)");
}

std::string TiesText(const OutputPair& pair) {
  std::string text =
      pair.chosen_by.empty()
          ? "ids differ where scores tie"
          : absl::StrCat(pair.chosen_by, " chose otherwise where numbers are nearly equal");
  if (pair.margin.has_value()) {
    absl::StrAppendFormat(&text, " (%.1e apart; they moved by %.1e)", pair.margin->apart,
                          pair.margin->moved);
  }
  if (pair.sqnr_with_ids.has_value()) {
    absl::StrAppendFormat(&text, ", with the same choices signal to noise is %.1f dB",
                          *pair.sqnr_with_ids);
  }
  return text;
}

std::vector<std::string> DescribeOutput(const OutputPair& pair) {
  const ValueDifference& difference = pair.difference;
  std::string head =
      pair.left == pair.right ? pair.left : absl::StrCat(pair.left, " | ", pair.right);
  absl::StrAppend(&head, " ", pair.type, ": ");
  const bool errors = difference.max_absolute > 0;
  // Two models whose results are all NaN agree, but nothing was tested.
  const std::string nans =
      difference.nans == 0
          ? ""
          : absl::StrCat("; ", difference.nans, " of ", difference.elements, " elements are NaN");
  if (difference.agree()) {
    return {absl::StrCat(head, errors ? Errors(difference) : "equal", nans)};
  }
  std::vector<std::string> facts;
  if (!difference.reason.empty()) {
    facts.push_back(difference.reason);
  }
  if (difference.beyond > 0) {
    const bool exact = difference.tolerance.atol == 0 && difference.tolerance.rtol == 0;
    facts.push_back(absl::StrCat(
        difference.beyond, " of ", difference.elements, " elements ",
        exact ? "not equal" : absl::StrCat("beyond ", ToleranceText(difference.tolerance))));
  } else if (!difference.fault.empty()) {
    facts.push_back(difference.fault);
  }
  if (pair.ties) facts.push_back(TiesText(pair));
  std::vector<std::string> lines = {absl::StrCat(head, absl::StrJoin(facts, "; "), nans)};
  if (errors) {
    lines.push_back(absl::StrCat("  ", Errors(difference)));
  }
  return lines;
}

std::vector<std::string> DescribeOutputs(const OutputComparison& comparison) {
  std::vector<std::string> lines;
  for (const OutputPair& pair : comparison.pairs) {
    for (std::string& line : DescribeOutput(pair)) lines.push_back(std::move(line));
  }
  lines.push_back(VerdictText(comparison));
  return lines;
}

}  // namespace onnxcmp
