#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// 0 1 ... n-1, sliced on their one axis.
absl::StatusOr<Tensor> SliceOf(int64_t n, int64_t start, int64_t end, int64_t step) {
  std::vector<float> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
  OpTest test("Slice", 13);
  test.Input(Tensor::Of<float>({n}, values));
  test.Input(Ints({start})).Input(Ints({end})).Input(Ints({0})).Input(Ints({step}));
  return test.Run();
}

// Expected values: the schema's two examples.
TEST(SliceTest, SlicesAxesWithSteps) {
  OpTest test("Slice", 13);
  test.Input(Tensor::Of<int32_t>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  test.Input(Ints({1, 0})).Input(Ints({2, 3})).Input(Ints({0, 1})).Input(Ints({1, 2}));
  ExpectTensor(test.Run(), Tensor::Of<int32_t>({1, 2}, {5, 7}));
}

TEST(SliceTest, TakesTheFirstAxesWithoutAxes) {
  OpTest test("Slice", 10);
  test.Input(Tensor::Of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  test.Input(Ints({0, 1})).Input(Ints({-1, 1000}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 3}, {2, 3, 4}));
}

TEST(SliceTest, TakesStepsWithoutAxesAndInt32) {
  OpTest test("Slice", 11);
  test.Input(Tensor::Of<float>({4}, {1, 2, 3, 4}));
  test.Input(Tensor::Of<int32_t>({1}, {0})).Input(Tensor::Of<int32_t>({1}, {4}));
  test.NoInput().Input(Tensor::Of<int32_t>({1}, {3}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2}, {1, 4}));
}

TEST(SliceTest, Version1TakesAttributes) {
  OpTest test("Slice", 1);
  test.Attr("starts", std::vector<int64_t>{1, -3}).Attr("ends", std::vector<int64_t>{2, kMax});
  test.Attr("axes", std::vector<int64_t>{0, 1});
  test.Input(Tensor::Of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 3}, {6, 7, 8}));

  OpTest no_axes("Slice", 1);
  no_axes.Attr("starts", std::vector<int64_t>{1}).Attr("ends", std::vector<int64_t>{2});
  no_axes.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  ExpectTensor(no_axes.Run(), Tensor::Of<float>({1, 2}, {3, 4}));
}

TEST(SliceTest, IsAView) {
  Tensor x = Tensor::Of<float>({4}, {1, 2, 3, 4});
  OpTest test("Slice", 13);
  test.Input(x).Input(Ints({1})).Input(Ints({3}));
  absl::StatusOr<Tensor> y = test.Run();
  ExpectTensor(y, Tensor::Of<float>({2}, {2, 3}));
  EXPECT_EQ(y->buffer(), x.buffer());
}

TEST(SliceTest, TakesAView) {
  OpTest test("Slice", 13);
  test.Input(AsStridedView(Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  test.Input(Ints({-1})).Input(Ints({kMin})).Input(Ints({-1})).Input(Ints({-2}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {3, 1, 6, 4}));
}

// Expected values: NumPy's, and where it differs (a start before the first element, stepping back)
// the schema's text.
TEST(SliceTest, ClampsBounds) {
  ExpectTensor(SliceOf(4, 0, kMax, 1), Floats({0, 1, 2, 3}));
  ExpectTensor(SliceOf(4, kMin, kMax, 1), Floats({0, 1, 2, 3}));
  ExpectTensor(SliceOf(4, kMax, kMin, -1), Floats({3, 2, 1, 0}));
  ExpectTensor(SliceOf(4, -1, -5, -1), Floats({3, 2, 1, 0}));
  ExpectTensor(SliceOf(4, -1, -1, -1), Floats({}));
  ExpectTensor(SliceOf(4, 1000, 1, -1), Floats({3, 2}));
  ExpectTensor(SliceOf(4, -1000, kMin, -1), Floats({0}));
  ExpectTensor(SliceOf(4, 3, 1, 1), Floats({}));
  ExpectTensor(SliceOf(4, 1, 3, -1), Floats({}));
  ExpectTensor(SliceOf(4, 4, 4, 1), Floats({}));
  ExpectTensor(SliceOf(0, 0, kMax, 1), Floats({}));
  ExpectTensor(SliceOf(0, kMax, kMin, -1), Floats({}));
}

TEST(SliceTest, TakesStepsOfAnySize) {
  ExpectTensor(SliceOf(5, 0, kMax, 2), Floats({0, 2, 4}));
  ExpectTensor(SliceOf(5, kMax, kMin, -2), Floats({4, 2, 0}));
  ExpectTensor(SliceOf(5, 1, kMax, kMax), Floats({1}));
  ExpectTensor(SliceOf(5, 3, kMin, kMin), Floats({3}));
}

TEST(SliceTest, RefusesBadInputs) {
  auto run = [](const std::vector<int64_t>& starts, const std::vector<int64_t>& ends,
                const std::vector<int64_t>& axes, const std::vector<int64_t>& steps) {
    OpTest test("Slice", 13);
    test.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
    test.Input(Ints(starts)).Input(Ints(ends)).Input(Ints(axes)).Input(Ints(steps));
    return test.Run().status();
  };
  ExpectError(run({0}, {1}, {0}, {0}), kInvalid, "the step of axis 0 is 0");
  ExpectError(run({0}, {1}, {2}, {1}), kInvalid, "axis 2 is out of range for rank 2");
  ExpectError(run({0}, {1}, {kMin}, {1}), kInvalid, "is out of range for rank 2");
  ExpectError(run({0, 0}, {1, 1}, {1, -1}, {1, 1}), kInvalid, "axis -1 is given twice");
  ExpectError(run({0, 0}, {1}, {0}, {1}), kInvalid, "differ in length: 2, 1, 1, 1");
}

}  // namespace
}  // namespace onnxcmp::testing
