// Weights for tests of the operators with weights of a few bits (MatMulNBits and the operators
// around it).
#ifndef ONNXCMP_TESTS_OPS_CONTRIB_BLOCK_QUANTIZED_N_BITS_WEIGHTS_H_
#define ONNXCMP_TESTS_OPS_CONTRIB_BLOCK_QUANTIZED_N_BITS_WEIGHTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {

// Rows of 16 codes of four bits: all `low` in even columns, `high` in odd ones.
inline Tensor FourBits(const std::vector<std::pair<int, int>>& rows, int blocks = 1) {
  std::vector<uint8_t> bytes;
  for (const auto& [low, high] : rows) {
    bytes.insert(bytes.end(), static_cast<size_t>(8 * blocks),
                 static_cast<uint8_t>(low | high << 4));
  }
  return Tensor::Of<uint8_t>({static_cast<int64_t>(rows.size()), blocks, 8}, bytes);
}

// 1 in column `at`, else 0: what is multiplied is one column of the weights.
inline Tensor UnitRow(int64_t size, int64_t at) {
  std::vector<float> values(static_cast<size_t>(size));
  values[static_cast<size_t>(at)] = 1;
  return Tensor::Of<float>({1, size}, values);
}

// K = 16 and one output: weights of 1 but for the first three.
inline const Tensor& RampRow() {
  static const Tensor& ramp = *new Tensor(Pattern({1, 16}, 1, 16, 2.0f));  // -1, -0.875, ...
  return ramp;
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_OPS_CONTRIB_BLOCK_QUANTIZED_N_BITS_WEIGHTS_H_
