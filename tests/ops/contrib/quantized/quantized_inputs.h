// Inputs for tests of operators on quantized tensors.
#ifndef ONNXCMP_TESTS_OPS_CONTRIB_QUANTIZED_QUANTIZED_INPUTS_H_
#define ONNXCMP_TESTS_OPS_CONTRIB_QUANTIZED_QUANTIZED_INPUTS_H_

#include "tests/support/op_test.h"

namespace onnxcmp::testing {

// Values with a scale and a zero point.
inline OpTest& AddQuantized(OpTest& test, const Tensor& values, float scale,
                            const Tensor& zero_point) {
  return test.Input(values).Input(Tensor::Scalar(scale)).Input(zero_point);
}

inline OpTest& AddQuantized(OpTest& test, const Tensor& values, const Tensor& scale,
                            const Tensor& zero_point) {
  return test.Input(values).Input(scale).Input(zero_point);
}

// X, its scale and zero point, scale and zero point of the result.
inline OpTest QuantizedOp(const char* name, const Tensor& x, float scale, const Tensor& zero_point,
                          float result_scale, const Tensor& result_zero) {
  OpTest test(name, 1, "com.microsoft");
  test.Input(x).Input(Tensor::Scalar(scale)).Input(zero_point);
  test.Input(Tensor::Scalar(result_scale)).Input(result_zero);
  return test;
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_OPS_CONTRIB_QUANTIZED_QUANTIZED_INPUTS_H_
