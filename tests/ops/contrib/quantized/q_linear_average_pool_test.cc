#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The second window of ceil_mode goes beyond the padding: a sum is divided by 3 all the same.
TEST(QLinearAveragePoolTest, CountedPadding) {
  const Tensor zero = Tensor::Scalar<int8_t>(0);
  for (const int count_include_pad : {0, 1}) {
    OpTest test =
        QuantizedOp("QLinearAveragePool", Int8s({1, 1, 4}, {30, 30, 30, 30}), 1, zero, 1, zero);
    test.Attr("kernel_shape", std::vector<int64_t>{3}).Attr("strides", std::vector<int64_t>{3});
    test.Attr("ceil_mode", 1).Attr("count_include_pad", count_include_pad);
    ExpectTensor(test.Run(),
                 Int8s({1, 1, 2}, count_include_pad != 0 ? std::vector<int8_t>{30, 10}
                                                         : std::vector<int8_t>{30, 30}));
  }
}

TEST(QLinearAveragePoolTest, BadInputs) {
  const Tensor zero = Tensor::Scalar<int8_t>(0);
  OpTest test = QuantizedOp("QLinearAveragePool", Int8s({1, 4}, {1, 2, 3, 4}), 1, zero, 1, zero);
  test.Attr("kernel_shape", std::vector<int64_t>{}).Attr("channels_last", 1);
  EXPECT_EQ(test.Run().status().code(), kInvalid);
}

}  // namespace
}  // namespace onnxcmp::testing
