#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(TransposeTest, ReversesTheAxesByDefault) {
  OpTest test("Transpose", 13);
  test.Input(Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(test.Run(), Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
}

TEST(TransposeTest, PermutesAxes) {
  OpTest test("Transpose", 1);
  test.Attr("perm", std::vector<int64_t>{1, 2, 0});
  test.Input(Tensor::Of<int64_t>({1, 2, 3}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(test.Run(), Tensor::Of<int64_t>({2, 3, 1}, {1, 2, 3, 4, 5, 6}));
}

TEST(TransposeTest, IsAView) {
  Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  absl::StatusOr<Tensor> y = OpTest("Transpose", 25).Input(x).Run();
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->buffer(), x.buffer());
}

TEST(TransposeTest, TakesAView) {
  OpTest test("Transpose", 13);
  test.Input(AsStridedView(Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  ExpectTensor(test.Run(), Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
}

TEST(TransposeTest, MovesStrings) {
  OpTest test("Transpose", 13);
  test.Input(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
  ExpectTensor(test.Run(), Tensor::Of<std::string>({2, 2}, {"a", "c", "b", "d"}));
}

TEST(TransposeTest, RepacksElementsOfLessThanAByte) {
  for (DType dtype : {DType::kInt4, DType::kUint2, DType::kFloat4E2M1}) {
    OpTest test("Transpose", 25);
    test.Input(Convert(Tensor::Of<float>({3, 3}, {0, 1, 2, 3, 0, 1, 2, 3, 1}), dtype));
    ExpectSameBits(test.Run(),
                   Convert(Tensor::Of<float>({3, 3}, {0, 3, 2, 1, 0, 3, 2, 1, 1}), dtype));
  }
}

TEST(TransposeTest, KeepsScalarsAndEmptyTensors) {
  ExpectTensor(OpTest("Transpose", 13).Input(Tensor::Scalar(3.0f)).Run(), Tensor::Scalar(3.0f));
  ExpectTensor(OpTest("Transpose", 13).Input(Tensor::Of<float>({0, 2}, {})).Run(),
               Tensor::Of<float>({2, 0}, {}));
}

TEST(TransposeTest, RefusesWhatIsNoPermutation) {
  for (const std::vector<int64_t>& perm : std::vector<std::vector<int64_t>>{
           {0, 0}, {0}, {0, 2}, {-1, 0}, {0, 1, 2}, {}, {INT64_MIN, INT64_MAX}}) {
    OpTest test("Transpose", 13);
    test.Attr("perm", perm).Input(Tensor::Of<float>({2, 1}, {1, 2}));
    ExpectError(test.Run().status(), kInvalid, "is not a permutation of the 2 axes");
  }
}

}  // namespace
}  // namespace onnxcmp::testing
