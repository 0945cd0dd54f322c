// The weights of MatMulNBits (com.microsoft) as integers with scales.
#ifndef ONNXCMP_COMPARE_CONVERSION_PACKED_WEIGHTS_H_
#define ONNXCMP_COMPARE_CONVERSION_PACKED_WEIGHTS_H_

#include <optional>

#include "compare/quantization/quant_params.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct PackedWeights {
  Tensor codes;  // uint8 [N, K]
  QuantParamValues params;
};

// `zero_points` may be null. Nothing if sizes do not fit, or if the node orders its rows by a group
// index.
std::optional<PackedWeights> UnpackNBits(const Node& node, const Tensor& packed,
                                         const Tensor& scales, const Tensor* zero_points);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_PACKED_WEIGHTS_H_
