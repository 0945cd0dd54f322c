// Kernels that replace elements by others: LabelEncoder and CategoryMapper.
#ifndef ONNXCMP_OPS_TRADITIONALML_CATEGORY_KERNEL_H_
#define ONNXCMP_OPS_TRADITIONALML_CATEGORY_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/traditionalml/key_index.h"

namespace onnxcmp {

// values[i] for keys[i] (as many, contiguous), `otherwise` (one element) for anything else.
struct Categories {
  Tensor keys;
  Tensor values;
  Tensor otherwise;
  FloatKeys float_keys = FloatKeys::kByValue;
};
Kernel CategoryKernel(const Categories& categories);

// Strings to integers or integers to strings, whichever the input is, with default_int64 and
// default_string of the node. Requires as many strings as integers.
Kernel TwoWayCategoryKernel(const KernelInit& node, const std::vector<std::string>& strings,
                            const std::vector<int64_t>& ints);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_CATEGORY_KERNEL_H_
