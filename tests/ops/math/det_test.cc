#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

absl::StatusOr<Tensor> Det(const Tensor& x) { return OpTest("Det", 22).Input(x).Run(); }

TEST(Det, MatricesAndBatches) {
  ExpectTensor(Det(Tensor::Of<float>({2, 2}, {0, 1, 2, 3})), Tensor::Scalar<float>(-2));
  const Tensor x = Tensor::Of<float>({2, 1, 3, 3}, {2, 0, 0, 0, 3, 0, 0, 0, 4,  //
                                                    1, 2, 3, 4, 5, 6, 7, 8, 9});
  ExpectTensor(Det(AsStridedView(x)), Tensor::Of<float>({2, 1}, {24, 0}), 0, 1e-6);
  ExpectTensor(Det(Convert(x, DType::kDouble)), Tensor::Of<double>({2, 1}, {24, 0}), 0, 1e-14);
  ExpectTensor(Det(Tensor::Of<double>({2, 2}, {NAN, 1, 0, 1})), Tensor::Scalar<double>(NAN));
}

TEST(Det, EmptyAndWrong) {
  ExpectTensor(Det(Tensor::Of<float>({2, 0, 0}, {})), Tensor::Of<float>({2}, {1, 1}));
  ExpectTensor(Det(Tensor::Of<float>({0, 2, 2}, {})), Tensor::Of<float>({0}, {}));
  ExpectError(Det(Tensor::Of<float>({1, 2}, {1, 2})).status(), kInvalid, "square matrices");
  ExpectError(Det(Tensor::Of<float>({1}, {1})).status(), kInvalid, "square matrices");
}

}  // namespace
}  // namespace onnxcmp::testing
