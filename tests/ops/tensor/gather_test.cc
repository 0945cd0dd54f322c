#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's two examples.
TEST(GatherTest, GathersRows) {
  for (int opset : {1, 11, 13}) {
    OpTest test("Gather", opset);
    test.Input(Tensor::Of<float>({3, 2}, {1.0f, 1.2f, 2.3f, 3.4f, 4.5f, 5.7f}));
    test.Input(Tensor::Of<int64_t>({2, 2}, {0, 1, 1, 2}));
    ExpectTensor(test.Run(),
                 Tensor::Of<float>({2, 2, 2}, {1.0f, 1.2f, 2.3f, 3.4f, 2.3f, 3.4f, 4.5f, 5.7f}));
  }
}

TEST(GatherTest, GathersColumns) {
  OpTest test("Gather", 13);
  test.Attr("axis", 1);
  test.Input(Tensor::Of<double>({3, 3}, {1.0, 1.2, 1.9, 2.3, 3.4, 3.9, 4.5, 5.7, 5.9}));
  test.Input(Tensor::Of<int32_t>({1, 2}, {0, -1}));
  ExpectTensor(test.Run(), Tensor::Of<double>({3, 1, 2}, {1.0, 1.9, 2.3, 3.9, 4.5, 5.9}));
}

TEST(GatherTest, MovesElementsOfEverySize) {
  for (DType dtype :
       {DType::kInt8, DType::kFloat16, DType::kInt32, DType::kInt64, DType::kComplex128}) {
    OpTest test("Gather", 13);
    test.Input(Convert(Tensor::Of<float>({4}, {1, 2, 3, 4}), dtype));
    test.Input(Tensor::Of<int64_t>({3}, {3, 0, -2}));
    ExpectTensor(test.Run(), Convert(Tensor::Of<float>({3}, {4, 1, 3}), dtype));
  }
  OpTest strings("Gather", 13);
  strings.Input(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
  strings.Input(Tensor::Of<int64_t>({3}, {1, 1, 0}));
  ExpectTensor(strings.Run(), Tensor::Of<std::string>({3, 2}, {"c", "d", "c", "d", "a", "b"}));
}

TEST(GatherTest, GathersOneEntryAsAView) {
  Tensor data = Tensor::Of<int64_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  OpTest test("Gather", 13);
  test.Attr("axis", -1).Input(data).Input(Tensor::Scalar<int64_t>(-1));
  absl::StatusOr<Tensor> y = test.Run();
  ExpectTensor(y, Tensor::Of<int64_t>({3}, {2, 4, 6}));
  EXPECT_EQ(y->buffer(), data.buffer());
  // The dimensions of indices stand where the axis was.
  OpTest shaped("Gather", 13);
  shaped.Attr("axis", 1).Input(data).Input(Tensor::Of<int64_t>({1, 1}, {0}));
  ExpectTensor(shaped.Run(), Tensor::Of<int64_t>({3, 1, 1}, {1, 3, 5}));
}

TEST(GatherTest, TakesViews) {
  Tensor data =
      AsStridedView(Tensor::Of<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  OpTest few("Gather", 13);
  few.Attr("axis", 1).Input(data).Input(AsStridedView(Tensor::Of<int64_t>({2}, {2, 0})));
  ExpectTensor(few.Run(), Tensor::Of<float>({2, 2, 2}, {5, 6, 1, 2, 11, 12, 7, 8}));
  OpTest many("Gather", 13);
  many.Attr("axis", 2).Input(data).Input(Tensor::Of<int64_t>({3}, {1, 0, 1}));
  ExpectTensor(many.Run(), Tensor::Of<float>({2, 3, 3}, {2, 1, 2, 4, 3, 4, 6, 5, 6, 8, 7, 8, 10, 9,
                                                         10, 12, 11, 12}));
}

TEST(GatherTest, TakesNoIndicesAndEmptyData) {
  OpTest none("Gather", 13);
  none.Input(Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})).Input(Tensor::Of<int64_t>({0, 2}, {}));
  ExpectTensor(none.Run(), Tensor::Of<float>({0, 2, 2}, {}));
  OpTest empty("Gather", 13);
  empty.Input(Tensor::Of<float>({3, 0}, {})).Input(Tensor::Of<int64_t>({2}, {1, 2}));
  ExpectTensor(empty.Run(), Tensor::Of<float>({2, 0}, {}));
}

TEST(GatherTest, GivesTheSameForAnyNumberOfThreads) {
  Tensor table = RandomFloats({300, 129}, 1);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 1000; ++i) ids.push_back(i * 7919 % 300);
  OpTest test("Gather", 13);
  test.Input(table).Input(Tensor::Of<int64_t>({1000}, ids));
  absl::StatusOr<Tensor> one = test.Run();
  ASSERT_TRUE(one.ok());
  for (int64_t i : {0, 1, 500, 999}) {
    EXPECT_EQ(one->AsSpan<float>()[static_cast<size_t>(i * 129 + 128)],
              table.AsSpan<float>()[static_cast<size_t>(ids[static_cast<size_t>(i)] * 129 + 128)]);
  }
  ExpectSameBits(test.Threads(3).Run(), *one);
}

TEST(GatherTest, RefusesIndicesOutOfRange) {
  for (int64_t index : {int64_t{3}, int64_t{-4}, INT64_MIN, INT64_MAX}) {
    OpTest test("Gather", 13);
    test.Attr("axis", 1).Input(Tensor::Of<float>({1, 3}, {1, 2, 3}));
    test.Input(Tensor::Of<int64_t>({2}, {0, index}));
    ExpectError(test.Run().status(), kInvalid,
                "index " + std::to_string(index) + " is out of range for axis 1 of size 3");
  }
  OpTest scalar("Gather", 13);
  scalar.Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar<int64_t>(0));
  ExpectError(scalar.Run().status(), kInvalid, "axis 0 is out of range for rank 0");
}

}  // namespace
}  // namespace onnxcmp::testing
