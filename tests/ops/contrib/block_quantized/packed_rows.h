// Rows for tests of GatherPacked, MatMulPacked and MoEPacked.
#ifndef ONNXCMP_TESTS_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_ROWS_H_
#define ONNXCMP_TESTS_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_ROWS_H_

#include <cstdint>
#include <vector>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {

inline constexpr int kF16 = 1, kQ8 = 8, kIq2Xxs = 16;

// The bytes of float16 numbers.
inline Tensor HalfBytes(Shape shape, const std::vector<float>& values) {
  const Tensor halves = Convert(Floats(values), DType::kFloat16);
  const auto* raw = reinterpret_cast<const uint8_t*>(halves.raw_data());
  const std::vector<uint8_t> bytes(raw, raw + 2 * values.size());
  shape.back() *= 2;
  return Tensor::Of<uint8_t>(shape, bytes);
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_ROWS_H_
