// Removes the values of padded positions from outputs.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_PADDING_H_
#define ONNXCMP_COMPARE_INPUT_SETS_PADDING_H_

#include <vector>

#include "compare/outputs/output_comparison.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Sets outputs to zero where a mask has zeros, along the axis of each output that is as long as the
// mask's rows, or as their new positions at the end. Attention has no positions to attend to if one
// is padded together with all before it, so results there are meaningless.
std::vector<NamedOutput> WithoutPadding(std::vector<NamedOutput> outputs, const Tensor& mask);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_PADDING_H_
