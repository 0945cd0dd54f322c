#include "samples/fail_if.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"
#include "record/text/meant_name.h"

namespace onnxcmp {

bool FailIf::Fails(double figure_value) const {
  if (std::isnan(figure_value)) return true;
  return compare == "<"    ? figure_value < limit
         : compare == "<=" ? figure_value <= limit
         : compare == ">"  ? figure_value > limit
         : compare == ">=" ? figure_value >= limit
                           : figure_value == limit;
}

std::string FailIf::Text() const { return absl::StrCat(figure, " ", compare, " ", limit); }

absl::StatusOr<FailIf> ReadFailIf(absl::string_view text) {
  absl::Status wrong = absl::InvalidArgumentError(absl::StrCat(
      "a condition is a figure, <, <=, >, >= or ==, and a number, as top1 < 0.99: ", text));
  const size_t at = text.find_first_of("<>=");
  if (at == absl::string_view::npos) return wrong;
  FailIf condition;
  condition.figure = std::string(absl::StripAsciiWhitespace(text.substr(0, at)));
  absl::string_view rest = text.substr(at);
  for (const char* compare : {"<=", ">=", "==", "<", ">"}) {
    if (!absl::ConsumePrefix(&rest, compare)) continue;
    condition.compare = compare;
    break;
  }
  rest = absl::StripAsciiWhitespace(rest);
  const bool percent = absl::ConsumeSuffix(&rest, "%");
  if (condition.figure.empty() || condition.compare.empty() ||
      !absl::SimpleAtod(absl::StripAsciiWhitespace(rest), &condition.limit) ||
      !std::isfinite(condition.limit)) {
    return wrong;
  }
  if (percent) condition.limit /= 100;
  return condition;
}

absl::StatusOr<std::vector<FailIfResult>> CheckFailIf(
    const std::vector<FailIf>& conditions,
    const std::vector<std::pair<std::string, std::map<std::string, double>>>& by_output) {
  std::vector<FailIfResult> results;
  for (const FailIf& condition : conditions) {
    std::vector<double> found;
    std::vector<std::string> names;
    for (const auto& [output, figures] : by_output) {
      for (const auto& [name, figure] : figures) {
        names.push_back(output.empty() ? name : absl::StrCat(output, ".", name));
        if (condition.figure == name || condition.figure == names.back()) found.push_back(figure);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    if (found.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no figure `", condition.figure, "` of these outputs",
          DidYouMean(condition.figure, names), "; there are ", absl::StrJoin(names, ", ")));
    }
    FailIfResult result = {condition, found[0], false};
    for (const double figure : found) {
      if (!condition.Fails(figure) || result.fails) continue;
      result.figure = figure;
      result.fails = true;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace onnxcmp
