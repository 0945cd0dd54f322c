#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// onnxruntime has no kernel of the next two: values from NumPy.
TEST(QLinearReduceMeanTest, Values) {
  OpTest test = QuantizedOp("QLinearReduceMean", Int8s({2, 3}, {10, 20, -30, 1, 2, 4}), 0.5f,
                            Tensor::Scalar<int8_t>(2), 0.25f, Tensor::Scalar<int8_t>(-1));
  test.Attr("axes", std::vector<int64_t>{-1}).Attr("keepdims", 0);
  ExpectTensor(test.Run(), Int8s({2}, {-5, 0}));
  test.Attr("axes", std::vector<int64_t>{}).Attr("keepdims", 1);
  ExpectTensor(test.Run(), Int8s({1, 1}, {-3}));
  test.Attr("axes", std::vector<int64_t>{2});
  ExpectError(test.Run().status(), kInvalid, "axis 2 is out of range");
}

}  // namespace
}  // namespace onnxcmp::testing
