#include "compare/quantization/explained_noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace onnxcmp {
namespace {

constexpr double kMeasured = 0.6;  // least share of the layers
// A layer is an outlier if its SQNR is this many dB below the median.
constexpr double kOutlier = 8;
// And this many dB below the SQNR of rounding to its scale. Products have few large elements, which
// a correct scale rounds coarsely.
constexpr double kBeyondRounding = 3;

// True if a layer's local error exceeds that of most layers, and its rounding does not explain it.
bool StandsOut(const QuantizedLayer& layer, double median) {
  const double own = layer.own_sqnr.value_or(median);
  return own < median - kOutlier &&
         !(layer.rounding_sqnr.has_value() && own >= *layer.rounding_sqnr - kBeyondRounding);
}

// The root of the sum of squares of the costs of the noisiest layers, each by itself: the sum of
// independent errors.
double AloneTogether(const QuantizationReport& report, std::vector<size_t> layers,
                     OutputCost* cost) {
  constexpr size_t kMostLayers = 24;
  std::stable_sort(layers.begin(), layers.end(), [&](size_t a, size_t b) {
    return report.layers[a].own_sqnr < report.layers[b].own_sqnr;
  });
  absl::flat_hash_set<int> partners;
  double squares = 0;
  for (const size_t i : layers) {
    if (partners.size() >= kMostLayers) break;
    if (!partners.insert(report.layers[i].partner).second) continue;
    const double alone = cost->Of(report.layers[i].result).value_or(0);
    squares += alone * alone;
  }
  return std::sqrt(squares);
}

}  // namespace

std::optional<SortedLayers> SortLayers(const QuantizationReport& report) {
  std::vector<double> own;
  for (const QuantizedLayer& layer : report.layers) {
    // Beside layers of 16 bits, those with weights of 8 bits would all be outliers.
    if (BitWidth(layer.dtype) == 16 && IsInteger(layer.dtype)) return std::nullopt;
    if (layer.own_sqnr.has_value()) own.push_back(*layer.own_sqnr);
  }
  if (own.empty() ||
      static_cast<double>(own.size()) < kMeasured * static_cast<double>(report.layers.size())) {
    return std::nullopt;
  }
  const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
  std::nth_element(own.begin(), middle, own.end());
  SortedLayers sorted;
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const QuantizedLayer& layer = report.layers[i];
    if (StandsOut(layer, *middle)) {
      sorted.standing_out.push_back(i);
    } else if (layer.own_sqnr.has_value() && !layer.in_another) {
      sorted.honest.push_back(i);
    }
  }
  return sorted;
}

std::optional<ExplainedNoise> ExplainNoise(const QuantizationReport& report, OutputCost* cost) {
  constexpr size_t kMostWeighed = 8;
  std::optional<SortedLayers> sorted = SortLayers(report);
  if (!sorted.has_value()) return std::nullopt;
  std::vector<int> honest;
  for (const size_t i : sorted->honest) honest.push_back(report.layers[i].result);
  const std::optional<double> all = cost->OfTogether(honest);
  if (!all.has_value()) return std::nullopt;
  ExplainedNoise noise;
  noise.all = *all;
  // Errors that happen to cancel out explain as much as they would without that.
  if (report.output_error.value_or(0) > noise.all) {
    noise.all = std::max(noise.all, AloneTogether(report, sorted->honest, cost));
  }
  std::vector<size_t>& worst = sorted->standing_out;
  std::stable_sort(worst.begin(), worst.end(), [&](size_t a, size_t b) {
    return report.layers[a].own_sqnr < report.layers[b].own_sqnr;
  });
  if (worst.size() > kMostWeighed) worst.resize(kMostWeighed);
  for (const size_t i : worst) {
    QuantizedLayer layer = report.layers[i];
    layer.cost = cost->Of(layer.result);
    if (!noise.standing_out.has_value() || layer.cost > noise.standing_out->cost) {
      noise.standing_out = std::move(layer);
    }
  }
  return noise;
}

}  // namespace onnxcmp
