// What outputs hold of positions that nobody looks at.
#ifndef ONNXCMP_COMPARE_SETS_PADDING_H_
#define ONNXCMP_COMPARE_SETS_PADDING_H_

#include <vector>

#include "compare/verdict/output_comparison.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The same with zeros where a mask of a batch's rows has them, along the axis of each output that
// is as long as its rows are, or of what is new at their ends. Attention has nothing to look at
// from a position that is padded together with all before it, and what comes of that is nobody's.
std::vector<NamedOutput> WithoutPadding(std::vector<NamedOutput> outputs, const Tensor& mask);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SETS_PADDING_H_
