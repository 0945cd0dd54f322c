// The quantized constants that a layer reads, beside the other side's.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_QUANTIZED_WEIGHTS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_QUANTIZED_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/quantization/counterpart_run.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quantization_error.h"
#include "compare/quantization/side_values.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The inputs of a product with packed weights, as MatMulNBits has them.
enum PackedSlot : size_t {
  kPackedSlot = 1,
  kScalesSlot,
  kZeroPointsSlot,
  kGroupIndexSlot,
  kBiasOfPacked
};

struct QuantizedWeights {
  int result = kNone;    // the input of the layer's node: floats made of integers, or the integers
  int integers = kNone;  // kNone if only the node can unpack them
  int partner = kNone;   // a constant of the other side, or made of such
  // Both, in the order of the quantized side's elements. Always set by WeightsOf().
  std::optional<DequantizedView> reals;
  std::optional<DequantizedView> partner_reals;
  // The scales of the partner's own integers; empty if it was not dequantized.
  std::vector<double> partner_scales;
  // In the order in which the partner's elements are used; nothing for packed weights, of which
  // only some rows are taken.
  std::optional<Shape> shape;
  // False if a later node applies the scale.
  bool scaled = true;
  // For unscaled weights: their zero point, if there is a single one, and the steps by which they
  // exceed the partner's in the same steps.
  int zero_point = kNone;
  double moved = 0;
  NoiseStats noise_stats;
};

// The quantized weights of a region's nodes; only those that have a partner.
std::vector<QuantizedWeights> WeightsOf(const CounterpartRun& run, const std::vector<int>& region,
                                        int partner);

// True if an operator has weights that only it can unpack.
bool HasPackedWeights(const std::string& op_type);

// True if a region reads quantized constants, or multiplies integers.
bool ReadsQuantized(const SideValues& side, const std::vector<int>& region);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_QUANTIZED_WEIGHTS_H_
