#include "samples/trial_figures.h"

#include <cmath>
#include <utility>

#include "compare/quantization/dequantized_view.h"
#include "record/differences/infinity.h"
#include "record/differences/tensor_distance.h"
#include "samples/figures/layer_figures.h"
#include "samples/figures/pair_measure.h"

namespace onnxcmp {

void TrialFigures::Add(size_t i, int64_t sample, const PerSide<Value>& both,
                       const std::optional<double>& label) {
  Output& output = outputs_[i];
  if (!IsMeasurable(both.left) || !IsMeasurable(both.right) ||
      both.left.tensor().shape() != both.right.tensor().shape()) {
    output.not_finite = true;
    return;
  }
  const Tensor& left = both.left.tensor();
  const Tensor& right = both.right.tensor();
  const PairMeasure measure =
      MeasurePair(DequantizedView(left), DequantizedView(right), 0, 1, nullptr);
  output.not_finite = output.not_finite || measure.not_finite > 0;
  const PairSums& sums = measure.moments.sums;
  if (std::isfinite(sums.left)) output.signal.Add(sums.left);
  if (std::isfinite(sums.differences)) output.noise.Add(sums.differences);
  if (output.task.has_value()) output.task->Add(sample, {left, right}, label);
}

std::vector<std::pair<std::string, std::map<std::string, double>>> TrialFigures::Figures() const {
  std::vector<std::pair<std::string, std::map<std::string, double>>> all;
  for (const Output& output : outputs_) {
    std::map<std::string, double> figures;
    if (output.task.has_value()) figures = output.task->Figures();
    PairSums sums;
    sums.left = output.signal.Total();
    sums.differences = output.noise.Total();
    figures["sqnr"] = output.not_finite ? -kInfinity : DecibelsOf(sums);
    all.emplace_back(output.name, std::move(figures));
  }
  return all;
}

}  // namespace onnxcmp
