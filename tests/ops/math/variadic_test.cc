// Max, Min, Sum and Mean: any number of inputs.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

TEST(MaxTest, BroadcastsAndKeepsNaN) {
  ExpectTensor(OpTest("Max", 8)
                   .Input(Tensor::Of<float>({3}, {1, NAN, 3}))
                   .Input(Tensor::Of<float>({2, 1}, {0, 2}))
                   .Input(Tensor::Of<float>({}, {1.5f}))
                   .Run(),
               Tensor::Of<float>({2, 3}, {1.5f, NAN, 3, 2, NAN, 3}));
}

TEST(MaxTest, IntegersBeyond2To53) {
  const int64_t big = int64_t{1} << 53;
  ExpectTensor(OpTest("Max", 13)
                   .Input(Tensor::Of<int64_t>({2}, {big, -1}))
                   .Input(Tensor::Of<int64_t>({2}, {big + 1, INT64_MIN}))
                   .Run(),
               Tensor::Of<int64_t>({2}, {big + 1, -1}));
  ExpectTensor(OpTest("Max", 12)
                   .Input(Tensor::Of<uint64_t>({1}, {UINT64_MAX}))
                   .Input(Tensor::Of<uint64_t>({1}, {1}))
                   .Run(),
               Tensor::Of<uint64_t>({1}, {UINT64_MAX}));
}

TEST(MinTest, OneInputIsItself) {
  ExpectTensor(OpTest("Min", 13).Input(Tensor::Of<double>({2}, {1, NAN})).Run(),
               Tensor::Of<double>({2}, {1, NAN}));
  ExpectTensor(OpTest("Min", 13)
                   .Input(Tensor::Of<int8_t>({2}, {1, -128}))
                   .Input(Tensor::Of<int8_t>({2}, {0, 127}))
                   .Run(),
               Tensor::Of<int8_t>({2}, {0, -128}));
}

TEST(SumTest, RoundsOnce) {
  // In float16, 2048 + 1 is 2048; only the whole sum is 2050.
  const Tensor one = Convert(Tensor::Of<float>({1}, {1}), DType::kFloat16);
  ExpectTensor(OpTest("Sum", 13)
                   .Input(Convert(Tensor::Of<float>({1}, {2048}), DType::kFloat16))
                   .Input(one)
                   .Input(one)
                   .Run(),
               Convert(Tensor::Of<float>({1}, {2050}), DType::kFloat16));
}

TEST(SumTest, NoBroadcastBeforeOpset8) {
  ExpectError(OpTest("Sum", 6)
                  .Input(Tensor::Of<float>({2}, {1, 2}))
                  .Input(Tensor::Of<float>({1}, {1}))
                  .Run()
                  .status(),
              kInvalid, "before opset 8");
}

TEST(MeanTest, Values) {
  ExpectTensor(OpTest("Mean", 13)
                   .Input(Tensor::Of<float>({2}, {1, 2}))
                   .Input(Tensor::Of<float>({1}, {3}))
                   .Input(Tensor::Of<float>({}, {8}))
                   .Run(),
               Tensor::Of<float>({2}, {4, 13.0f / 3}), 1e-7);
}

}  // namespace
}  // namespace onnxcmp
