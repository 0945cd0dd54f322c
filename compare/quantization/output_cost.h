// What one layer's error does to the outputs.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_
#define ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "compare/quantization/twin_run.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class OutputCost {
 public:
  // The other side runs from the layer's partner on.
  explicit OutputCost(const TwinRun& run) : run_(run) {}

  // How far its outputs move when the partner of a quantized result has what that result's node
  // gives by itself: the noise, the greatest of several outputs. Nothing if the other side cannot
  // run.
  std::optional<double> Of(int r);
  // The same when the own errors of all these results are put in together, each added to what the
  // others make of its partner.
  std::optional<double> OfTogether(const std::vector<int>& results);
  // Nodes that were run for that.
  int64_t runs() const { return runs_; }
  // How far the quantized side's outputs are from the other's as both ran.
  std::optional<double> OfAll() const;

 private:
  using Changed = absl::node_hash_map<int, Value>;  // by result of the other side

  // Runs a node if it reads what has changed. False if that fails.
  bool RunIfChanged(int n, Changed* changed);
  // How far the outputs are then.
  std::optional<double> DistanceOf(const Changed& changed) const;

  const TwinRun& run_;
  int64_t runs_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_
