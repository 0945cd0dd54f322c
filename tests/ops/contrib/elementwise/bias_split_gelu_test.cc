// Expected values: the definition in NumPy, in double; no processor kernel of onnxruntime has it.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(BiasSplitGelu, Values) {
  const Tensor want = Tensor::Of<float>({1, 2, 2}, {-4.393114f, 0, 0.6020817f, 0.06080172f});
  const Tensor x = Pattern({1, 2, 4}, 3, 7, 4);
  const Tensor bias = Pattern({4}, 2, 5);
  ExpectTensor(Contrib("BiasSplitGelu").Input(AsStridedView(x)).Input(bias).Run(), want, 1e-6,
               1e-6);
  ExpectTensor(Contrib("BiasSplitGelu")
                   .Input(Convert(x, DType::kDouble))
                   .Input(Convert(bias, DType::kDouble))
                   .Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-7);
}

TEST(BiasSplitGelu, OddWidth) {
  ExpectError(Contrib("BiasSplitGelu").Input(Iota({1, 1, 3})).Input(Iota({3})).Run().status(),
              kInvalid, "an even last dimension");
}

}  // namespace
}  // namespace onnxcmp::testing
