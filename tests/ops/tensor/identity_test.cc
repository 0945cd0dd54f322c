#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(IdentityTest, HandsTensorsOn) {
  Tensor x = AsStridedView(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  for (int opset : {1, 13, 14, 25}) {
    absl::StatusOr<Tensor> y = OpTest("Identity", opset).Input(x).Run();
    ExpectSameBits(y, x);
    EXPECT_EQ(y->buffer(), x.buffer());
  }
}

TEST(IdentityTest, HandsSequencesOn) {
  Sequence sequence{DType::kFloat, {Value(Tensor::Scalar(1.0f)), Value(Tensor::Scalar(2.0f))}};
  absl::StatusOr<std::vector<Value>> y = OpTest("Identity", 14).Input(sequence).RunAll();
  ASSERT_TRUE(y.ok()) << y.status();
  ASSERT_TRUE((*y)[0].is_sequence());
  EXPECT_EQ((*y)[0].sequence().elements.size(), 2u);
}

TEST(IdentityTest, HandsOptionalsOn) {
  Optional optional{std::make_shared<const Value>(Tensor::Scalar(1.0f)), DType::kFloat};
  absl::StatusOr<std::vector<Value>> y = OpTest("Identity", 16).Input(optional).RunAll();
  ASSERT_TRUE(y.ok()) << y.status();
  ASSERT_TRUE((*y)[0].is_optional());
  ExpectTensor((*y)[0].optional().element->tensor(), Tensor::Scalar(1.0f));
}

}  // namespace
}  // namespace onnxcmp::testing
