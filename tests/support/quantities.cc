#include "tests/support/quantities.h"

#include <cstddef>
#include <vector>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {

Tensor Quantity(uint64_t number, const Shape& shape) { return RandomFloats(shape, number + 1); }

Tensor Nearly(const Tensor& tensor, float relative) {
  std::vector<float> values(tensor.AsSpan<float>().begin(), tensor.AsSpan<float>().end());
  for (size_t i = 0; i < values.size(); ++i) values[i] *= 1 + (i % 3 == 0 ? relative : -relative);
  return Tensor::Of<float>(tensor.shape(), values);
}

}  // namespace onnxcmp::testing
