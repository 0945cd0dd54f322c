// onnxruntime has the operator for CUDA only. Expected values: NumPy, from the definition.
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tests/ops/contrib/q_ordered/ordered_matrices.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(DequantizeWithOrderTest, UndoesTheOrder) {
  for (int order = 0; order <= 4; ++order) {
    SCOPED_TRACE(order);
    const Tensor x = Pattern({2, 32, 64}, 7, 255, 254);
    const Tensor whole = Convert(Convert(x, DType::kInt8), DType::kFloat);
    const absl::StatusOr<Tensor> moved = QuantizedTo(order, whole);
    ASSERT_TRUE(moved.ok()) << moved.status();
    OpTest test("DequantizeWithOrder", 1, "com.microsoft");
    test.Attr("order_input", order).Attr("order_output", 1).Attr("to", 10);
    test.Input(*moved).Input(Tensor::Scalar(1.0f));
    ExpectTensor(test.Run(), Convert(whole, DType::kFloat16));
  }
}

TEST(DequantizeWithOrderTest, Type) {
  OpTest test("DequantizeWithOrder", 1, "com.microsoft");
  test.Attr("order_input", 1).Attr("order_output", 1).Attr("to", 11);
  ExpectError(test.Input(Int8s({1}, {2})).Input(Tensor::Scalar(0.5f)).Run().status(), kInvalid,
              "to 11 is neither float");
}

}  // namespace
}  // namespace onnxcmp::testing
