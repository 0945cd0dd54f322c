#include "generate/render_drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_style.h"

namespace onnxcmp {
namespace {

constexpr const char* kLevels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// The greatest of each column's steps.
std::vector<double> Columns(const std::vector<double>& steps, size_t of_column) {
  std::vector<double> columns;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i % of_column == 0) columns.push_back(steps[i]);
    columns.back() = std::max(columns.back(), steps[i]);
  }
  return columns;
}

class Plot {
 public:
  Plot(const std::vector<double>& steps, bool ascii) : ascii_(ascii) {
    for (const double step : steps) {
      if (step > 0 && std::isfinite(step)) most_ = std::max(most_, step);
    }
    // Eight levels of half a decade: less is no drift to look at.
    least_ = most_;
    for (const double step : steps) {
      if (step > 0) least_ = std::min(least_, step);
    }
    least_ = std::min(least_, most_ / std::pow(10, std::size(kLevels) / 2));
  }

  std::string Character(double value) const {
    if (!(value > 0) && !std::isnan(value)) return ascii_ ? "0" : "·";
    size_t level = std::size(kLevels) - 1;
    if (std::isfinite(value) && value < most_) {
      const double share = std::log(value / least_) / std::log(most_ / least_);
      level = static_cast<size_t>(std::lround(share * static_cast<double>(level)));
    }
    return ascii_ ? absl::StrCat(level + 1) : kLevels[level];
  }

 private:
  const bool ascii_;
  double most_ = 0, least_ = 0;
};

std::string Line(const char* label, const char* name, const std::vector<double>& steps,
                 size_t of_column, const TableOptions& look) {
  const Plot plot(steps, look.ascii);
  std::string text = absl::StrCat(PadRight(label, 11), PadRight(name, 10));
  for (const double column : Columns(steps, of_column)) {
    absl::StrAppend(&text, plot.Character(column));
  }
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  return absl::StrCat(text, "  ", TwoDigits(*least), " to ", TwoDigits(*most), "\n");
}

}  // namespace

std::string RenderDrift(const Generation& generation, const TableOptions& look) {
  std::vector<double> differences, divergences;
  for (const GeneratedStep& step : generation.steps) {
    double difference = 0, divergence = 0;
    for (const GeneratedStep::Row& row : step.rows) {
      // NaN is as far as anything is.
      difference =
          std::max(difference, std::isnan(row.max_difference) ? INFINITY : row.max_difference);
      divergence = std::max(divergence, std::isnan(row.kl) ? INFINITY : row.kl);
    }
    differences.push_back(difference);
    divergences.push_back(divergence);
  }
  const bool differs = std::any_of(differences.begin(), differences.end(),
                                   [](double difference) { return difference > 0; });
  if (differences.size() < 2 || !differs) return "";
  const size_t of_column = (differences.size() + 63) / 64;
  std::string text = absl::StrCat("\n", Line("drift", "max |l-r|", differences, of_column, look),
                                  Line("", "KL", divergences, of_column, look));
  if (of_column > 1) {
    absl::StrAppend(&text, PadRight("", 11), "a column is the greatest of ", of_column, " steps\n");
  }
  return text;
}

}  // namespace onnxcmp
