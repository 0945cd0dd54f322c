// The quantized constants that a layer reads, beside the other side's.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_QUANTIZED_WEIGHTS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_QUANTIZED_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/quantization/reals.h"
#include "compare/quantization/side_values.h"
#include "compare/quantization/signal.h"
#include "compare/quantization/twin_run.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct QuantizedWeights {
  int result = kNone;    // what the layer's node reads: floats made of integers, or these
  int integers = kNone;  // kNone where only the node can unpack them
  int partner = kNone;   // a constant of the other side, or made of such
  // Both, in the order of the quantized side's elements. Those that are found have them.
  std::optional<Reals> reals;
  std::optional<Reals> partner_reals;
  // The scales of the partner's own integers; empty if it was not dequantized.
  std::vector<double> partner_scales;
  // As the partner's elements are used: nothing of packed weights, of which some rows are taken.
  std::optional<Shape> shape;
  // False where the scale is not the constant's own but comes with a later node.
  bool scaled = true;
  // Of such: their zero point, if it is one for all, and by how many steps they are greater than
  // what the partner's would be in their steps.
  int zero_point = kNone;
  double moved = 0;
  Likeness likeness;
};

// Of the nodes of a region. Only those that have a partner.
std::vector<QuantizedWeights> WeightsOf(const TwinRun& run, const std::vector<int>& region,
                                        int partner);

// Whether an operator has weights that only it can unpack.
bool HasPackedWeights(const std::string& op_type);

// Whether a region reads quantized constants, or multiplies integers.
bool ReadsQuantized(const SideValues& side, const std::vector<int>& region);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_QUANTIZED_WEIGHTS_H_
