#include "compare/quantization/explained_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace onnxcmp {
namespace {

constexpr double kWeighed = 0.6;  // of the layers
// By so many dB less than the median's own signal to noise a layer stands out.
constexpr double kOutlier = 8;
// Nor is it honest that far below what its grid explains. Numbers of which few are great, as a
// product of two has them, are rounded coarsely by an honest grid.
constexpr double kBeyondRounding = 3;

// Whether a layer's own error is greater than that of most, and its grid does not explain it.
bool StandsOut(const QuantizedLayer& layer, double median) {
  const double own = layer.own_sqnr.value_or(median);
  return own < median - kOutlier &&
         !(layer.rounding_sqnr.has_value() && own >= *layer.rounding_sqnr - kBeyondRounding);
}

}  // namespace

std::optional<ExplainedNoise> ExplainNoise(const QuantizationReport& report) {
  std::vector<double> own;
  size_t weighed = 0;
  for (const QuantizedLayer& layer : report.layers) {
    // Beside 16 bits those that have weights of 8 stand out by that.
    if (BitWidth(layer.dtype) == 16 && IsInteger(layer.dtype)) return std::nullopt;
    if (layer.own_sqnr.has_value()) own.push_back(*layer.own_sqnr);
    if (layer.cost.has_value()) ++weighed;
  }
  if (own.empty() ||
      static_cast<double>(weighed) < kWeighed * static_cast<double>(report.layers.size())) {
    return std::nullopt;
  }
  const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
  std::nth_element(own.begin(), middle, own.end());
  ExplainedNoise noise;
  double squares = 0;
  for (const QuantizedLayer& layer : report.layers) {
    if (!layer.cost.has_value()) continue;
    if (!StandsOut(layer, *middle)) {
      // Its noise is in the other layer's, too.
      if (!layer.in_another) squares += *layer.cost * *layer.cost;
    } else if (!noise.standing_out.has_value() ||
               *layer.cost > noise.standing_out->cost.value_or(0)) {
      noise.standing_out = layer;
    }
  }
  noise.all = std::sqrt(squares);
  return noise;
}

}  // namespace onnxcmp
