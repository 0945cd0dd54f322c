#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor X() { return Tensor::Of<float>({2, 3}, {1, 2, 3, -4, NAN, 6}); }

TEST(Dropout, InferenceCopies) {
  for (int opset : {7, 10, 12, 13, 22}) {
    OpTest test("Dropout", opset);
    test.Input(X()).Outputs(2);
    ExpectTensor(test.Run(), X());
    const Tensor ones = Tensor::Of<float>({2, 3}, {1, 1, 1, 1, 1, 1});
    ExpectTensor(test.Run(1), opset < 10 ? ones : Convert(ones, DType::kBool));
  }
  OpTest old("Dropout", 1);
  old.Attr("is_test", 1).Attr("consumed_inputs", std::vector<int64_t>{0}).Input(X());
  ExpectTensor(old.Run(), X());
}

// numpy.random.RandomState(5).uniform(size=6) is 0.22199317, 0.87073231, 0.20671916, 0.91861091,
// 0.48841119, 0.61174386.
TEST(Dropout, TrainingDrawsAsNumPyDoes) {
  const auto drop = [](const Tensor& x, float ratio) {
    OpTest test("Dropout", 22);
    test.Attr("seed", 5).Input(x).Input(Tensor::Scalar<float>(ratio));
    test.Input(Convert(Tensor::Scalar<float>(1), DType::kBool)).Outputs(2);
    return test;
  };
  const Tensor mask = Convert(Tensor::Of<float>({6}, {0, 1, 0, 1, 0, 1}), DType::kBool);
  const Tensor x = Tensor::Of<float>({6}, {1, 2, 3, 4, NAN, INFINITY});
  const Tensor y = Tensor::Of<float>({6}, {0, 4, 0, 8, NAN, INFINITY});
  ExpectTensor(drop(x, 0.5f).Run(), y);
  ExpectTensor(drop(x, 0.5f).Run(1), mask);
  ExpectTensor(drop(Convert(x, DType::kDouble), 0.5f).Run(), Convert(y, DType::kDouble));
  ExpectTensor(drop(x, 0).Run(), x);
  ExpectError(drop(x, 1).Run().status(), kInvalid, "ratio 1 is not in [0, 1)");
}

TEST(Dropout, VersionsBelow7Train) {
  OpTest test("Dropout", 6);
  const Tensor ones = Tensor::Of<float>({10000}, std::vector<float>(10000, 1));
  test.Attr("ratio", 0.25f).Input(ones).Outputs(2);
  const auto y = test.Run();
  const auto mask = test.Run(1);
  ASSERT_TRUE(y.ok() && mask.ok());
  int kept = 0;
  for (int i = 0; i < 10000; ++i) {
    const float bit = mask->data<float>()[i];
    ASSERT_TRUE(bit == 0 || bit == 1);
    ASSERT_EQ(y->data<float>()[i], bit / 0.75f);
    kept += bit == 1 ? 1 : 0;
  }
  EXPECT_NEAR(kept, 7500, 200);  // 4.6 standard deviations
  ExpectSameBits(test.Run(), *y);
}

}  // namespace
}  // namespace onnxcmp::testing
