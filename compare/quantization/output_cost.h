// Measures the effect of a layer's local error on the outputs.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_
#define ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/quantization/counterpart_run.h"
#include "record/graphs/changed_replay.h"

namespace onnxcmp {

class OutputCost {
 public:
  // The other side runs from the layer's partner on.
  explicit OutputCost(const CounterpartRun& run) : run_(run) {}

  // Distance that the other side's outputs move if the partner of a quantized result takes that
  // result's local value: the noise, the greatest of several outputs. Nothing if the other side
  // cannot run.
  std::optional<double> Of(int r);
  // Noise of the layer's local value against the other side's nodes on the rounded numbers that the
  // layer reads: what honest rounding of activations and weights does not explain. `region`: the
  // nodes that make the layer. Nothing if the other side cannot run.
  std::optional<double> UnexplainedBy(int r, const std::vector<int>& region);
  // Number of nodes that were run for that.
  int64_t runs() const { return runs_; }
  // Distance of the quantized side's outputs from the other's in their plain runs.
  std::optional<double> OfAll() const;

 private:
  class OtherReplay;

  // The rounded numbers that a region reads, in place of the other side's.
  ChangedValues RoundedInputs(int r, const std::vector<int>& region) const;
  // Runs those of the other side's nodes from `first` to before `end` that read changed values.
  // False if one fails.
  bool Run(int first, int end, ChangedValues* changed);
  // Distance of the outputs then.
  std::optional<double> DistanceOf(const ChangedValues& changed) const;

  const CounterpartRun& run_;
  int64_t runs_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_
