#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(WhereTest, EveryElementSize) {
  const Tensor condition = Bools({4}, {1, 0, 0, 1});
  const Tensor x = Tensor::Of<float>({4}, {1, 2, 3, 4});
  const Tensor y = Tensor::Of<float>({4}, {5, 6, 7, 8});
  const Tensor want = Tensor::Of<float>({4}, {1, 6, 7, 4});
  for (DType dtype : {DType::kFloat, DType::kInt8, DType::kBfloat16, DType::kDouble, DType::kUint64,
                      DType::kComplex64, DType::kComplex128}) {
    ExpectSameBits(OpTest("Where", 16)
                       .Input(condition)
                       .Input(Convert(x, dtype))
                       .Input(Convert(y, dtype))
                       .Run(),
                   Convert(want, dtype));
  }
  ExpectTensor(
      OpTest("Where", 9).Input(condition).Input(Bools({}, {1})).Input(Bools({1}, {0})).Run(),
      condition);
}

TEST(WhereTest, Strings) {
  ExpectTensor(OpTest("Where", 9)
                   .Input(Bools({2, 1}, {1, 0}))
                   .Input(Tensor::Of<std::string>({2}, {"a", "b"}))
                   .Input(Tensor::Scalar<std::string>("other"))
                   .Run(),
               Tensor::Of<std::string>({2, 2}, {"a", "b", "other", "other"}));
}

// All three stretch, and two are views; by the definition, element by element.
TEST(WhereTest, BroadcastsAllInputs) {
  const Tensor condition = Bools({3, 1, 1}, {1, 0, 1});
  const Tensor x = AsStridedView(RandomFloats({1, 70, 300}, 1));
  const Tensor y = RandomFloats({300}, 2);
  absl::StatusOr<Tensor> got =
      OpTest("Where", 16).Input(condition).Input(x).Input(y).Threads(2).Run();
  ASSERT_TRUE(got.ok()) << got.status();
  std::vector<float> want;
  const Tensor x_data = RandomFloats({1, 70, 300}, 1);
  for (int64_t i = 0; i < 3 * 70 * 300; ++i) {
    want.push_back(i / (70 * 300) != 1 ? x_data.data<float>()[i % (70 * 300)]
                                       : y.data<float>()[i % 300]);
  }
  ExpectSameBits(got, Tensor::Of<float>({3, 70, 300}, want));
}

// Rows around the widths of vectors, with x or y a single element too.
TEST(WhereTest, RowsOfEveryWidth) {
  for (int64_t width = 1; width <= 35; ++width) {
    std::vector<uint8_t> chosen;
    for (int64_t i = 0; i < width; ++i) chosen.push_back(i * i % 3 == 1 ? 1 : 0);
    const Tensor condition = Bools({width}, chosen);
    for (const int64_t x_width : {width, int64_t{1}}) {
      for (const int64_t y_width : {width, int64_t{1}}) {
        std::vector<float> x, y, want;
        for (int64_t i = 0; i < x_width; ++i) x.push_back(static_cast<float>(i + 1));
        for (int64_t i = 0; i < y_width; ++i) y.push_back(static_cast<float>(i + 60));
        for (int64_t i = 0; i < width; ++i) {
          const auto at = static_cast<size_t>(i);
          want.push_back(chosen[at] != 0 ? x[x_width == 1 ? 0 : at] : y[y_width == 1 ? 0 : at]);
        }
        for (DType dtype : {DType::kFloat, DType::kInt8, DType::kFloat16, DType::kDouble}) {
          ExpectSameBits(OpTest("Where", 16)
                             .Input(condition)
                             .Input(Convert(Tensor::Of<float>({x_width}, x), dtype))
                             .Input(Convert(Tensor::Of<float>({y_width}, y), dtype))
                             .Run(),
                         Convert(Tensor::Of<float>({width}, want), dtype));
        }
      }
    }
  }
}

TEST(WhereTest, EmptyAndBadShapes) {
  ExpectTensor(OpTest("Where", 16)
                   .Input(Bools({0}, {}))
                   .Input(Tensor::Scalar<float>(1))
                   .Input(Tensor::Scalar<float>(2))
                   .Run(),
               Tensor::Of<float>({0}, {}));
  ExpectError(OpTest("Where", 16)
                  .Input(Bools({2}, {0, 1}))
                  .Input(RandomFloats({3}, 1))
                  .Input(Tensor::Scalar<float>(2))
                  .Run()
                  .status(),
              kInvalid, "do not broadcast");
}

}  // namespace
}  // namespace onnxcmp::testing
