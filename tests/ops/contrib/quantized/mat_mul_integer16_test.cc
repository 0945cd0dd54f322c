// The usual cases are golden ones, from onnxruntime.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MatMulInteger16Test, Wraps) {
  const Tensor low = Tensor::Of<int16_t>({2}, {-32768, -32768});
  ExpectTensor(Contrib("MatMulInteger16").Input(low).Input(low).Run(),
               Tensor::Scalar<int32_t>(INT32_MIN));
  const Tensor high = Tensor::Of<uint16_t>({1}, {65535});
  ExpectTensor(Contrib("MatMulInteger16").Input(high).Input(high).Run(),
               Tensor::Scalar<uint32_t>(4294836225));
  ExpectTensor(Contrib("MatMulInteger16").Input(high).Input(Tensor::Of<int16_t>({1}, {-2})).Run(),
               Tensor::Scalar<int32_t>(-131070));
}

}  // namespace
}  // namespace onnxcmp::testing
