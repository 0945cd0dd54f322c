// Matrices for tests of the operators on int8 in an order.
#ifndef ONNXCMP_TESTS_OPS_CONTRIB_Q_ORDERED_ORDERED_MATRICES_H_
#define ONNXCMP_TESTS_OPS_CONTRIB_Q_ORDERED_ORDERED_MATRICES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {

// Element i is (i * step) % modulus - shift.
inline Tensor Int8Pattern(const Shape& shape, int step, int modulus, int shift) {
  std::vector<int8_t> values(static_cast<size_t>(*NumElements(shape)));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int8_t>(static_cast<int>(i) * step % modulus - shift);
  }
  return Int8s(shape, values);
}

// A matrix of rows x 32 with distinct elements modulo 256, quantized to an order.
inline absl::StatusOr<Tensor> QuantizedTo(int order, const Tensor& x) {
  OpTest test("QuantizeWithOrder", 1, "com.microsoft");
  test.Attr("order_input", 1).Attr("order_output", order).Input(x).Input(Tensor::Scalar(1.0f));
  return test.Run();
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_OPS_CONTRIB_Q_ORDERED_ORDERED_MATRICES_H_
