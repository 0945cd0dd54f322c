#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

absl::StatusOr<Tensor> ExpandTo(const Tensor& x, const std::vector<int64_t>& shape,
                                int opset = 13) {
  OpTest test("Expand", opset);
  test.Input(x).Input(Tensor::Of<int64_t>({static_cast<int64_t>(shape.size())}, shape));
  return test.Run();
}

TEST(ExpandTest, BroadcastsBothWays) {
  Tensor x = Tensor::Of<float>({3, 1}, {1, 2, 3});
  // From the schema: the result need not have the shape that was asked for.
  ExpectTensor(ExpandTo(x, {2, 1, 2}, 8),
               Tensor::Of<float>({2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
  ExpectTensor(ExpandTo(x, {2}), Tensor::Of<float>({3, 2}, {1, 1, 2, 2, 3, 3}));
  ExpectTensor(ExpandTo(x, {1}), x);
  ExpectTensor(ExpandTo(x, {}), x);
  ExpectTensor(ExpandTo(Tensor::Scalar(true), {2}), Tensor::Of<bool>({2}, {true, true}));
}

TEST(ExpandTest, BroadcastsToEmpty) {
  ExpectTensor(ExpandTo(Tensor::Of<float>({1}, {1}), {2, 0}), Tensor::Of<float>({2, 0}, {}));
  ExpectTensor(ExpandTo(Tensor::Of<float>({0}, {}), {1}), Tensor::Of<float>({0}, {}));
}

TEST(ExpandTest, GivesAndTakesViews) {
  Tensor x = AsStridedView(Tensor::Of<std::string>({2, 1}, {"a", "b"}));
  absl::StatusOr<Tensor> y = ExpandTo(x, {2, 2});
  ExpectTensor(y, Tensor::Of<std::string>({2, 2}, {"a", "a", "b", "b"}));
  EXPECT_EQ(y->buffer(), x.buffer());
}

TEST(ExpandTest, RefusesWhatDoesNotFit) {
  Tensor x = Tensor::Of<float>({2}, {1, 2});
  ExpectError(ExpandTo(x, {3}).status(), kInvalid, "cannot broadcast [2] to [3]");
  ExpectError(ExpandTo(x, {0}).status(), kInvalid, "cannot broadcast [2] to [0]");
  ExpectError(ExpandTo(x, {-1, 2}).status(), kInvalid, "cannot broadcast [2] to [-1,2]");
}

TEST(ExpandTest, RefusesMoreThanMemoryHolds) {
  Tensor x = Tensor::Of<float>({1}, {1});
  constexpr int64_t k32 = int64_t{1} << 32;
  ExpectError(ExpandTo(x, {k32, k32}).status(), absl::StatusCode::kResourceExhausted,
              "more bytes than can be counted");
  ExpectError(ExpandTo(x, {k32, 1 << 20}).status(), absl::StatusCode::kResourceExhausted,
              "more than the limit of");
}

}  // namespace
}  // namespace onnxcmp::testing
