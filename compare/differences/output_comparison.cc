#include "compare/differences/output_comparison.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/differences/pair_tolerance.h"

namespace onnxcmp {
namespace {

std::string Rounded(double number) { return absl::StrFormat("%.2g", number); }

std::string ToleranceText(const Tolerance& tolerance) {
  return tolerance.atol == 0 && tolerance.rtol == 0
             ? "not equal"
             : absl::StrCat("beyond ", absl::StrFormat("%g", tolerance.atol), " + ",
                            absl::StrFormat("%g", tolerance.rtol), "*max(|a|,|b|)");
}

std::string Errors(const ValueDifference& difference) {
  return absl::StrCat("max abs ", Rounded(difference.max_absolute), " at ",
                      difference.max_absolute_at, " (", difference.max_absolute_pair, "), max rel ",
                      Rounded(difference.max_relative), " at ", difference.max_relative_at);
}

std::string VerdictText(const OutputComparison& comparison) {
  if (comparison.agree) {
    const bool equal =
        std::all_of(comparison.pairs.begin(), comparison.pairs.end(),
                    [](const OutputPair& pair) { return pair.difference.max_absolute == 0; });
    return equal ? "outputs agree: all elements are equal" : "outputs agree within the tolerance";
  }
  const auto bad = std::count_if(comparison.pairs.begin(), comparison.pairs.end(),
                                 [](const OutputPair& pair) { return !pair.difference.agree; });
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

}  // namespace

OutputComparison CompareOutputs(absl::Span<const NamedOutput> left,
                                absl::Span<const NamedOutput> right,
                                const ToleranceOptions& options) {
  absl::flat_hash_map<std::string, size_t> right_by_name;
  for (size_t j = 0; j < right.size(); ++j) {
    right_by_name.try_emplace(right[j].name, j);
  }
  std::vector<std::optional<size_t>> partner(left.size());
  std::vector<bool> taken(right.size(), false);
  for (size_t i = 0; i < left.size(); ++i) {
    const auto it = right_by_name.find(left[i].name);
    if (it != right_by_name.end() && !taken[it->second]) {
      partner[i] = it->second;
      taken[it->second] = true;
    }
  }
  OutputComparison comparison;
  size_t next = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!partner[i].has_value()) {
      while (next < right.size() && taken[next]) {
        ++next;
      }
      if (next == right.size()) {
        comparison.only_left.push_back(left[i].name);
        continue;
      }
      partner[i] = next;
      taken[next] = true;
    }
    const NamedOutput& other = right[*partner[i]];
    OutputPair& pair = comparison.pairs.emplace_back();
    pair.left = left[i].name;
    pair.right = other.name;
    pair.type = left[i].value.TypeString();
    ToleranceOptions chosen = {options.rtol, options.atol, {}};
    pair.same_bits = ContentOf(left[i].value) == ContentOf(other.value);
    if (left[i].result != nullptr && other.result != nullptr) {
      const Tolerance tolerance = ToleranceOf(*left[i].result, *other.result, chosen);
      chosen.rtol = tolerance.rtol;
      chosen.atol = tolerance.atol;
    }
    if (const auto named = NamedTolerance(options, {pair.left, pair.right})) {
      chosen.rtol = named->rtol;
      chosen.atol = named->atol;
    }
    pair.difference = DifferenceOf(left[i].value, other.value, chosen);
    comparison.agree = comparison.agree && pair.difference.agree;
  }
  for (size_t j = 0; j < right.size(); ++j) {
    if (!taken[j]) {
      comparison.only_right.push_back(right[j].name);
    }
  }
  comparison.agree =
      comparison.agree && comparison.only_left.empty() && comparison.only_right.empty();
  return comparison;
}

std::vector<std::string> DescribeOutput(const OutputPair& pair) {
  const ValueDifference& difference = pair.difference;
  std::string head =
      pair.left == pair.right ? pair.left : absl::StrCat(pair.left, " | ", pair.right);
  absl::StrAppend(&head, " ", pair.type, ": ");
  const bool errors = difference.max_absolute > 0;
  // Two models that give nothing but NaN agree, and have shown nothing.
  const std::string nans =
      difference.nans == 0
          ? ""
          : absl::StrCat("; ", difference.nans, " of ", difference.elements, " elements are NaN");
  if (difference.agree) {
    return {absl::StrCat(head, errors ? Errors(difference) : "equal", nans)};
  }
  std::vector<std::string> facts;
  if (!difference.reason.empty()) {
    facts.push_back(difference.reason);
  }
  if (difference.beyond > 0) {
    facts.push_back(absl::StrCat(difference.beyond, " of ", difference.elements, " elements ",
                                 ToleranceText(difference.tolerance)));
  }
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
