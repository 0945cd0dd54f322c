// What one layer's error does to the outputs.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_
#define ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_

#include <cstdint>
#include <optional>

#include "compare/quantization/twin_run.h"

namespace onnxcmp {

class OutputCost {
 public:
  // The other side runs from the layer's partner on.
  explicit OutputCost(const TwinRun& run) : run_(run) {}

  // How far its outputs move when the partner of a quantized result has what that result's node
  // gives by itself: the noise, the greatest of several outputs. Nothing if the other side cannot
  // run.
  std::optional<double> Of(int r);
  // Nodes that were run for that.
  int64_t runs() const { return runs_; }
  // How far the quantized side's outputs are from the other's as both ran.
  std::optional<double> OfAll() const;

 private:
  const TwinRun& run_;
  int64_t runs_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_OUTPUT_COST_H_
