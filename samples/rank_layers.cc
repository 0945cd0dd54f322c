#include "samples/rank_layers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/differences/infinity.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {
namespace {

// Greatest share of the samples: a layer that is far worse on so few of them is an outlier.
constexpr double kFewSamples = 0.1;
// Decibels that stand for no noise: floats keep about as many.
constexpr double kNoNoise = 150;

// Against the worst of the layers before it.
void LostIn(const std::vector<double>& means, size_t i, SampledLayer* layer) {
  if (!std::isfinite(means[i])) return;
  double before = kInfinity;
  for (const int64_t other : layer->before) {
    before = std::min(before, means[static_cast<size_t>(other)]);
  }
  layer->begins = before == kInfinity;
  layer->lost = std::min(before, kNoNoise) - means[i];
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

// The layers from which each is computed.
void LinkLayers(const SideGraph& graph, std::vector<SampledLayer>* layers) {
  absl::flat_hash_map<int, int64_t> by_result;
  for (size_t i = 0; i < layers->size(); ++i) {
    by_result[(*layers)[i].pair.right] = static_cast<int64_t>(i);
  }
  for (SampledLayer& layer : *layers) {
    graph.ReachBefore(
        {layer.pair.right},
        [&](int result) {
          const auto known = result == layer.pair.right ? by_result.end() : by_result.find(result);
          if (known == by_result.end()) return true;
          layer.before.push_back(known->second);
          return false;
        },
        work_bounds::kManyCandidates);
  }
}

std::string OperatorsOf(const Comparison& comparison, const ResultPair& pair) {
  const std::string& left = OpTypeOf(comparison.left.results[Index(pair.left)], comparison.left);
  const std::string& right =
      OpTypeOf(comparison.right.results[Index(pair.right)], comparison.right);
  if (right == left || left.empty()) return right;
  return right.empty() ? left : absl::StrCat(left, " | ", right);
}

void NameCauses(const MeasuredPairs& pairs, SamplesReport* report) {
  const std::vector<Cause>& causes = report->first->causes;
  for (const Cause& cause : causes) {
    report->causes.push_back(CauseSentence(*report->first, cause));
  }
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

}  // namespace

void DescribeLayers(const MeasuredPairs& pairs, SamplesReport* report) {
  const Comparison& first = *report->first;
  for (SampledLayer& layer : report->layers) {
    layer.left = first.left.results[Index(layer.pair.left)].name;
    layer.right = first.right.results[Index(layer.pair.right)].name;
    layer.op_type = OperatorsOf(first, layer.pair);
  }
  LinkLayers(pairs.graph(SideId::kRight), &report->layers);
  NameCauses(pairs, report);
}

void RankLayers(SamplesReport* report) {
  std::vector<double> means(report->layers.size(), kInfinity);
  for (size_t i = 0; i < means.size(); ++i) {
    SampledLayer& layer = report->layers[i];
    // A scale that is too great for one sample may be right for others.
    if (layer.mistaken < report->costed) layer.mistake.clear();
    const Spread& sqnr = layer.figures.sqnr;
    if (!sqnr.least().has_value()) continue;
    means[i] = sqnr.least()->figure == -kInfinity ? -kInfinity : sqnr.mean();
    layer.far_worse = sqnr.Below(*sqnr.median() - kFarWorse);
    layer.outlier = layer.far_worse > 0 && static_cast<double>(layer.far_worse) <=
                                               kFewSamples * static_cast<double>(sqnr.count());
  }
  for (size_t i = 0; i < means.size(); ++i) LostIn(means, i, &report->layers[i]);
  const size_t all = report->layers.size();
  std::erase_if(report->layers, HasNoDifference);
  report->equal_layers = static_cast<int64_t>(all - report->layers.size());
  std::stable_sort(report->layers.begin(), report->layers.end(), ComesBefore);
}

}  // namespace onnxcmp
