#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

absl::StatusOr<Tensor> ReshapeTo(const Tensor& x, const std::vector<int64_t>& shape,
                                 int64_t allowzero = 0) {
  OpTest test("Reshape", 14);
  test.Attr("allowzero", allowzero);
  test.Input(x).Input(Tensor::Of<int64_t>({static_cast<int64_t>(shape.size())}, shape));
  return test.Run();
}

TEST(ReshapeTest, KeepsTheOrderOfElements) {
  Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectTensor(ReshapeTo(x, {3, 2}), Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(ReshapeTo(x, {6}), Tensor::Of<float>({6}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(ReshapeTo(Tensor::Of<float>({1, 1}, {7}), {}), Tensor::Scalar(7.0f));
  ExpectTensor(ReshapeTo(AsStridedView(x), {3, 2}), Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
}

TEST(ReshapeTest, IsAViewOfPackedTypesToo) {
  Tensor x = Convert(Tensor::Of<float>({3, 1}, {1, 2, 3}), DType::kInt4);
  OpTest test("Reshape", 25);
  test.Input(x).Input(Tensor::Of<int64_t>({1}, {3}));
  absl::StatusOr<Tensor> y = test.Run();
  ExpectSameBits(y, Convert(Tensor::Of<float>({3}, {1, 2, 3}), DType::kInt4));
  EXPECT_EQ(y->buffer(), x.buffer());
}

TEST(ReshapeTest, InfersAndCopiesDimensions) {
  Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectTensor(ReshapeTo(x, {-1}), Tensor::Of<float>({6}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(ReshapeTo(x, {0, 1, -1}), Tensor::Of<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  ExpectTensor(ReshapeTo(Tensor::Of<float>({0, 3}, {}), {0, 5}), Tensor::Of<float>({0, 5}, {}));
  ExpectTensor(ReshapeTo(Tensor::Of<float>({0, 3}, {}), {3, -1}), Tensor::Of<float>({3, 0}, {}));
}

TEST(ReshapeTest, AllowsZero) {
  Tensor x = Tensor::Of<float>({2, 0}, {});
  ExpectTensor(ReshapeTo(x, {0, 7}, 1), Tensor::Of<float>({0, 7}, {}));
  ExpectError(ReshapeTo(x, {0, -1}, 1).status(), kInvalid, "0 and -1 cannot be in one shape");
  ExpectError(ReshapeTo(Tensor::Scalar(1.0f), {0}, 1).status(), kInvalid,
              "cannot reshape [] to [0]");
}

TEST(ReshapeTest, OlderVersions) {
  OpTest attribute("Reshape", 1);
  attribute.Attr("shape", std::vector<int64_t>{0, -1});
  attribute.Attr("consumed_inputs", std::vector<int64_t>{0});
  attribute.Input(Tensor::Of<float>({2, 1, 2}, {1, 2, 3, 4}));
  ExpectTensor(attribute.Run(), Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  OpTest input("Reshape", 5);
  input.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})).Input(Tensor::Of<int64_t>({1}, {4}));
  ExpectTensor(input.Run(), Tensor::Of<float>({4}, {1, 2, 3, 4}));
}

TEST(ReshapeTest, RefusesWhatDoesNotFit) {
  Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{{4, 2},
                                                                             {4, -1},
                                                                             {-2, -3},
                                                                             {},
                                                                             {INT64_MAX, INT64_MAX},
                                                                             {INT64_MAX, -1, 3},
                                                                             {INT64_MIN}}) {
    ExpectError(ReshapeTo(x, shape).status(), kInvalid, "cannot reshape [2,3] to [");
  }
  ExpectError(ReshapeTo(x, {-1, -1}).status(), kInvalid, "more than one dimension is -1");
  ExpectError(ReshapeTo(x, {2, 3, 0}).status(), kInvalid,
              "dimension 2 is 0, to be copied, but the input has rank 2");
  // Any number would do for -1.
  ExpectError(ReshapeTo(Tensor::Of<float>({0, 3}, {}), {0, -1}).status(), kInvalid,
              "cannot reshape [0,3] to [0,-1]");
}

}  // namespace
}  // namespace onnxcmp::testing
