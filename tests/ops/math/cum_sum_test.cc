// CumSum and CumProd.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

absl::StatusOr<Tensor> Accumulated(const char* name, int exclusive, int reverse, int32_t axis) {
  return OpTest(name, 26)
      .Attr("exclusive", exclusive)
      .Attr("reverse", reverse)
      .Input(Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Scalar<int32_t>(axis))
      .Run();
}

TEST(CumSumTest, EveryDirection) {
  ExpectTensor(Accumulated("CumSum", 0, 0, 1), Tensor::Of<float>({2, 3}, {1, 3, 6, 4, 9, 15}));
  ExpectTensor(Accumulated("CumSum", 1, 0, -1), Tensor::Of<float>({2, 3}, {0, 1, 3, 0, 4, 9}));
  ExpectTensor(Accumulated("CumSum", 0, 1, 1), Tensor::Of<float>({2, 3}, {6, 5, 3, 15, 11, 6}));
  ExpectTensor(Accumulated("CumSum", 1, 1, 0), Tensor::Of<float>({2, 3}, {4, 5, 6, 0, 0, 0}));
}

TEST(CumProdTest, EveryDirection) {
  ExpectTensor(Accumulated("CumProd", 0, 0, 0), Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 10, 18}));
  ExpectTensor(Accumulated("CumProd", 1, 1, 1), Tensor::Of<float>({2, 3}, {6, 3, 1, 30, 6, 1}));
}

TEST(CumSumTest, WrapsAroundAndRoundsOnce) {
  ExpectTensor(OpTest("CumSum", 11)
                   .Input(Tensor::Of<int64_t>({2}, {INT64_MAX, 1}))
                   .Input(Tensor::Scalar<int64_t>(0))
                   .Run(),
               Tensor::Of<int64_t>({2}, {INT64_MAX, INT64_MIN}));
  // 2048 + 1 is 2048 in float16.
  ExpectTensor(OpTest("CumSum", 14)
                   .Input(Convert(Tensor::Of<float>({3}, {2048, 1, 1}), DType::kFloat16))
                   .Input(Tensor::Scalar<int64_t>(0))
                   .Run(),
               Convert(Tensor::Of<float>({3}, {2048, 2048, 2050}), DType::kFloat16));
}

// Along the first axis rows are combined as vectors, along the last one a lane stays in a register.
template <typename T>
void ExpectSumsOfEveryWidth(const std::vector<T>& values) {
  constexpr int64_t kLength = 5;
  for (int64_t width = 1; width <= 19; ++width) {
    for (int flags = 0; flags < 4; ++flags) {
      const bool exclusive = (flags & 1) != 0;
      const bool reverse = (flags & 2) != 0;
      std::vector<T> rows(static_cast<size_t>(kLength * width));
      std::vector<T> sums = rows, lanes = rows, sums_of_lanes = rows;
      for (int64_t t = 0; t < width; ++t) {
        T sum{0};
        for (int64_t i = 0; i < kLength; ++i) {
          const int64_t k = reverse ? kLength - 1 - i : i;
          const T x = values[static_cast<size_t>(3 * k + t) % values.size()];
          const T before = sum;
          sum = i == 0 ? x : static_cast<T>(sum + x);
          const auto row = static_cast<size_t>(k * width + t);
          const auto lane = static_cast<size_t>(t * kLength + k);
          rows[row] = lanes[lane] = x;
          sums[row] = sums_of_lanes[lane] = exclusive ? before : sum;
        }
      }
      const auto run = [&](absl::Span<const int64_t> shape, const std::vector<T>& x, int32_t axis) {
        return OpTest("CumSum", 14)
            .Attr("exclusive", exclusive ? 1 : 0)
            .Attr("reverse", reverse ? 1 : 0)
            .Input(Tensor::Of<T>(shape, x))
            .Input(Tensor::Scalar<int32_t>(axis))
            .Run();
      };
      ExpectTensor(run({kLength, width}, rows, 0), Tensor::Of<T>({kLength, width}, sums));
      ExpectTensor(run({width, kLength}, lanes, 1), Tensor::Of<T>({width, kLength}, sums_of_lanes));
    }
  }
}

TEST(CumSumTest, EveryWidth) {
  ExpectSumsOfEveryWidth<float>({0.1f, -2, 1e8f, 3, -0.0f, 7, 1e-9f});
  ExpectSumsOfEveryWidth<double>({0.1, -2, 1e17, 3, -0.0, 7, 1e-9});
  ExpectSumsOfEveryWidth<uint64_t>({1, UINT64_MAX, uint64_t{1} << 63, 3, 5});
}

TEST(CumSumTest, NothingAndWrongAxes) {
  ExpectTensor(OpTest("CumSum", 14)
                   .Input(Tensor::Of<float>({2, 0}, {}))
                   .Input(Tensor::Scalar<int64_t>(1))
                   .Run(),
               Tensor::Of<float>({2, 0}, {}));
  ExpectError(Accumulated("CumSum", 0, 0, 2).status(), kInvalid,
              "axis 2 is out of range for rank 2");
}

}  // namespace
}  // namespace onnxcmp
