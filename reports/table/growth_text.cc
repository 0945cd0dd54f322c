#include "reports/table/growth_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "record/text/short_text.h"
#include "reports/words/row_selection.h"

namespace onnxcmp {
namespace {

constexpr size_t kFewestApart = 6;  // pairs that are apart, or there is nothing to see
constexpr size_t kMostBars = 40;
constexpr double kLowestBar = 1e-6;  // share of the greatest: the lowest bar

// Greatest error of a pair of floats beside its range; negative: unknown.
double ErrorOf(const Comparison& comparison, const ComparedRow& row) {
  if (!row.aligned.paired() || FaceOf(comparison, row).kind != ResultKind::kResult) return -1;
  if (row.relation == Relation::kSame) return 0;
  if (row.difference == nullptr || !row.difference->values.reason.empty()) return -1;
  const double absolute = row.difference->values.max_absolute;
  if (std::isnan(absolute)) return std::numeric_limits<double>::infinity();
  return row.difference->range > 0 ? absolute / row.difference->range : absolute;
}

}  // namespace

std::string GrowthText(const Comparison& comparison, bool ascii) {
  std::vector<double> errors;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  size_t apart = 0;
  for (const ComparedRow& row : comparison.rows) {
    const double error = ErrorOf(comparison, row);
    if (error < 0) continue;
    errors.push_back(error);
    if (error == 0) continue;
    ++apart;
    least = std::min(least, error);
    if (std::isfinite(error)) most = std::max(most, error);
  }
  if (apart < kFewestApart || most == 0) return "";
  // Errors far below the greatest need no bar of their own height.
  least = std::max(least, most * kLowestBar);
  constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<const char*, 8> kPlain = {".", ":", "-", "=", "+", "*", "%", "#"};
  const size_t count = std::min(errors.size(), kMostBars);
  // A decade at least, so that errors of one size are one height.
  const double span = std::max(1.0, std::log10(most / least));
  std::string bars;
  for (size_t k = 0; k < count; ++k) {
    double worst = 0;
    for (size_t i = k * errors.size() / count; i < (k + 1) * errors.size() / count; ++i) {
      worst = std::max(worst, errors[i]);
    }
    if (worst == 0) {
      absl::StrAppend(&bars, ascii ? "_" : kBars[0]);
      continue;
    }
    const double height =
        std::isfinite(worst) ? 1 - std::log10(most / std::max(worst, least)) / span : 1;
    const double level = std::clamp(1 + height * 6, 1.0, 7.0);
    absl::StrAppend(&bars, (ascii ? kPlain : kBars)[static_cast<size_t>(std::lround(level))]);
  }
  return absl::StrCat(bars, "  errors beside ranges along ", errors.size(), " pairs, up to ",
                      TwoDigits(most));
}

}  // namespace onnxcmp
