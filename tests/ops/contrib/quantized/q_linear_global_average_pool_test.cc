#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QLinearGlobalAveragePoolTest, ChannelsLast) {
  const Tensor zero = Tensor::Scalar<uint8_t>(1);
  OpTest test = QuantizedOp("QLinearGlobalAveragePool", Uint8s({1, 2, 1, 2}, {1, 2, 5, 7}), 1, zero,
                            0.5f, zero);
  ExpectTensor(test.Attr("channels_last", 1).Run(), Uint8s({1, 1, 1, 2}, {5, 8}));
  ExpectTensor(test.Attr("channels_last", 0).Run(), Uint8s({1, 2, 1, 1}, {2, 11}));
}

TEST(QLinearGlobalAveragePoolTest, NothingSpatial) {
  const Tensor zero = Tensor::Scalar<uint8_t>(1);
  ExpectError(QuantizedOp("QLinearGlobalAveragePool", Uint8s({1, 2}, {1, 2}), 1, zero, 1, zero)
                  .Run()
                  .status(),
              kInvalid, "rank of at least 3");
}

}  // namespace
}  // namespace onnxcmp::testing
