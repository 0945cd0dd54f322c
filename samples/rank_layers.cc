#include "samples/rank_layers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/differences/infinity.h"

namespace onnxcmp {
namespace {

// Greatest share of the samples: a layer that is far worse on so few of them is an outlier.
constexpr double kFewSamples = 0.1;
// Decibels that stand for no noise: floats keep about as many.
constexpr double kNoNoise = 150;

// Against the worst of the measured results before a layer, through what is not measured.
void LostIn(const SideGraph& graph, const absl::flat_hash_map<int, double>& means,
            SampledLayer* layer) {
  const auto own = means.find(layer->pair.right);
  if (own == means.end() || !std::isfinite(own->second)) return;
  double before = kInfinity;
  graph.ReachBefore(
      {layer->pair.right},
      [&](int result) {
        const auto known = result == layer->pair.right ? means.end() : means.find(result);
        if (known == means.end()) return true;
        before = std::min(before, known->second);
        return false;
      },
      work_bounds::kManyCandidates);
  layer->begins = before == kInfinity;
  layer->lost = std::min(before, kNoNoise) - own->second;
}

bool HasNoDifference(const SampledLayer& layer) {
  const LayerFigures& figures = layer.figures;
  return layer.mistake.empty() && figures.unlike == 0 && figures.not_finite == 0 &&
         figures.sqnr.infinite() == figures.sqnr.count() && figures.sqnr.least().has_value() &&
         figures.sqnr.least()->figure == kInfinity;
}

double CostOf(const SampledLayer& layer) { return layer.cost.count() > 0 ? layer.cost.mean() : -1; }

bool ComesBefore(const SampledLayer& a, const SampledLayer& b) {
  if (a.cause.has_value() && b.cause.has_value() && *a.cause != *b.cause)
    return *a.cause < *b.cause;
  if (a.cause.has_value() != b.cause.has_value()) return a.cause.has_value();
  if (a.mistake.empty() != b.mistake.empty()) return b.mistake.empty();
  if (CostOf(a) != CostOf(b)) return CostOf(a) > CostOf(b);
  return a.lost.value_or(-kInfinity) > b.lost.value_or(-kInfinity);
}

}  // namespace

void NameCauses(const MeasuredPairs& pairs, SamplesReport* report) {
  const std::vector<Cause>& causes = report->first->causes;
  for (size_t i = causes.size(); i-- > 0;) {
    PerSide<absl::flat_hash_set<int>> at;
    for (const SideId side : kBothSides) {
      const int result = OfSide(causes[i], side);
      if (result == kNone) continue;
      const SideGraph& graph = pairs.graph(side);
      at[side].insert(result);
      if (graph.producer(result) == kNone) {
        for (const int after : graph.After(result)) at[side].insert(after);
      }
    }
    for (SampledLayer& layer : report->layers) {
      if (at.left.contains(layer.pair.left) || at.right.contains(layer.pair.right)) {
        layer.cause = i;
      }
    }
  }
}

void RankLayers(const MeasuredPairs& pairs, SamplesReport* report) {
  absl::flat_hash_map<int, double> means;  // by result of the right
  for (SampledLayer& layer : report->layers) {
    // A scale that is too great for one sample may be right for others.
    if (layer.mistaken < report->costed) layer.mistake.clear();
    const Spread& sqnr = layer.figures.sqnr;
    if (sqnr.count() == 0) continue;
    means[layer.pair.right] = sqnr.least()->figure == -kInfinity ? -kInfinity : sqnr.mean();
    layer.far_worse = sqnr.median().has_value() ? sqnr.Below(*sqnr.median() - kFarWorse) : 0;
    layer.outlier = layer.far_worse > 0 && static_cast<double>(layer.far_worse) <=
                                               kFewSamples * static_cast<double>(sqnr.count());
  }
  for (SampledLayer& layer : report->layers) LostIn(pairs.graph(SideId::kRight), means, &layer);
  const size_t all = report->layers.size();
  std::erase_if(report->layers, HasNoDifference);
  report->equal_layers = static_cast<int64_t>(all - report->layers.size());
  std::stable_sort(report->layers.begin(), report->layers.end(), ComesBefore);
}

}  // namespace onnxcmp
