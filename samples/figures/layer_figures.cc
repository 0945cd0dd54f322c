#include "samples/figures/layer_figures.h"

#include <cmath>

#include "record/differences/infinity.h"

namespace onnxcmp {
namespace {

double DecibelsBetween(double signal, double noise) {
  if (noise == 0) return kInfinity;
  return signal == 0 ? -kInfinity : 10 * std::log10(signal / noise);
}

void AddFinite(double number, ExactSum* sum) {
  if (std::isfinite(number)) sum->Add(number);
}

}  // namespace

double DecibelsOf(const PairSums& sums) { return DecibelsBetween(sums.left, sums.differences); }

void LayerFigures::Add(int64_t sample, const PairMoments& moments, double greatest) {
  const PairSums& sums = moments.sums;
  sqnr.Add(sample, DecibelsOf(sums));
  const double sizes = std::sqrt(sums.left) * std::sqrt(sums.right);
  if (sizes > 0) cosine.Add(sample, moments.products / sizes);
  most.Add(sample, greatest);
  AddFinite(sums.left, &signal);
  AddFinite(sums.differences, &noise);
}

void LayerFigures::Add(const LayerFigures& other) {
  sqnr.Add(other.sqnr);
  cosine.Add(other.cosine);
  most.Add(other.most);
  saturated.Add(other.saturated);
  signal.Add(other.signal);
  noise.Add(other.noise);
  unlike += other.unlike;
  not_finite += other.not_finite;
}

double LayerFigures::pooled() const { return DecibelsBetween(signal.Total(), noise.Total()); }

}  // namespace onnxcmp
